//! Functions that LLVM knows by their names. Renaming them would change what the optimiser does with calls.

use std::sync::LazyLock;

use foldhash::HashSet;

/// Beginnings of names that are known, whatever follows: intrinsics, `operator new` and `delete`, the run-time
/// libraries of C++, OpenMP and Objective-C, personality functions.
const PREFIXES: [&str; 20] = [
    "llvm.",
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
    "??2@",
    "??3@",
    "??_U@",
    "??_V@",
    "__cxa_",
    "__kmpc_",
    "omp_",
    "__atomic_",
    "objc_",
    "__gxx_",
    "__gcc_personality_",
    "__gnat_",
    "__objc_personality_",
    "__CxxFrameHandler",
    "__C_specific_handler",
];

/// The C library, as far as LLVM knows it.
const NAMES: &str = "
ProcessCLRException _Exit _IO_getc _IO_putc __acos_finite __acosf_finite __acosh_finite
__acoshf_finite __acoshl_finite __acosl_finite __asin_finite __asinf_finite __asinl_finite
__assert_fail __atan2_finite __atan2f_finite __atan2l_finite __atanh_finite __atanhf_finite
__atanhl_finite __cosh_finite __coshf_finite __coshl_finite __cospi __cospif __errno_location
__exp10_finite __exp10f_finite __exp10l_finite __exp2_finite __exp2f_finite __exp2l_finite
__exp_finite __expf_finite __expl_finite __isoc99_scanf __isoc99_sscanf __log10_finite
__log10f_finite __log10l_finite __log2_finite __log2f_finite __log2l_finite __log_finite
__logf_finite __logl_finite __memccpy_chk __memcpy_chk __memmove_chk __mempcpy_chk __memset_chk
__nvvm_reflect __pow_finite __powf_finite __powl_finite __sigsetjmp __sincospi_stret
__sincospif_stret __sinh_finite __sinhf_finite __sinhl_finite __sinpi __sinpif __small_fprintf
__small_printf __small_sprintf __snprintf_chk __sprintf_chk __sqrt_finite __sqrtf_finite
__sqrtl_finite __stack_chk_fail __stpcpy_chk __stpncpy_chk __strcat_chk __strcpy_chk __strdup
__strlcat_chk __strlcpy_chk __strlen_chk __strncat_chk __strncpy_chk __strndup __strtok_r
__vsnprintf_chk __vsprintf_chk _exit _longjmp _setjmp abort abs access acos acosf acosh acoshf
acoshl acosl aligned_alloc asin asinf asinh asinhf asinhl asinl atan atan2 atan2f atan2l atanf atanh
atanhf atanhl atanl atexit atof atoi atol atoll bcmp bcopy bzero cabs cabsf cabsl calloc cbrt cbrtf
cbrtl ceil ceilf ceill chmod chown clearerr closedir copysign copysignf copysignl cos cosf cosh
coshf coshl cosl ctermid erf erfc erfcf erfcl erff erfl errno execl execle execlp execv execvP
execve execvp execvpe exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl expm1 expm1f expm1l
fabs fabsf fabsl fclose fdim fdimf fdiml fdopen feof ferror fflush ffs ffsl ffsll fgetc
fgetc_unlocked fgetpos fgets fgets_unlocked fileno fiprintf flockfile floor floorf floorl fls flsl
flsll fma fmaf fmal fmax fmaxf fmaximum_num fmaximum_numf fmaximum_numl fmaxl fmin fminf
fminimum_num fminimum_numf fminimum_numl fminl fmod fmodf fmodl fopen fopen64 fork fprintf fputc
fputc_unlocked fputs fputs_unlocked fread fread_unlocked free free_aligned_sized free_sized frexp
frexpf frexpl fscanf fseek fseeko fseeko64 fsetpos fstat fstat64 fstatvfs fstatvfs64 ftell ftello
ftello64 ftrylockfile funlockfile fwrite fwrite_unlocked getc getc_unlocked getchar getchar_unlocked
getcontext getenv getitimer getlogin_r getpwnam gets gettimeofday htonl htons hypot hypotf hypotl
ilogb ilogbf ilogbl iprintf isascii isdigit labs lchown ldexp ldexpf ldexpl lgamma lgammaf lgammal
llabs llrint llrintf llrintl llround llroundf llroundl log log10 log10f log10l log1p log1pf log1pl
log2 log2f log2l logb logbf logbl logf logl longjmp lrint lrintf lrintl lround lroundf lroundl lstat
lstat64 malloc memalign memccpy memchr memcmp memcpy memmove mempcpy memrchr memset memset_pattern16
memset_pattern4 memset_pattern8 mkdir mktime modf modff modfl nan nanf nanl nearbyint nearbyintf
nearbyintl nextafter nextafterf nextafterl nexttoward nexttowardf nexttowardl ntohl ntohs open
open64 opendir pclose perror popen posix_memalign pow powf powl pread printf putc putc_unlocked
putchar putchar_unlocked puts pvalloc pwrite qsort read readlink realloc reallocf realpath remainder
remainderf remainderl remove remquo remquof remquol rename rewind rint rintf rintl rmdir round
roundeven roundevenf roundevenl roundf roundl rust_eh_personality savectx scalbln scalblnf scalblnl
scalbn scalbnf scalbnl scanf setbuf setitimer setjmp setjmp_syscall setvbuf siglongjmp sigsetjmp sin
sincos sincosf sincosl sincospi sincospif sincospil sinf sinh sinhf sinhl sinl siprintf snprintf
sprintf sqrt sqrtf sqrtl sscanf stat stat64 statvfs statvfs64 stpcpy stpncpy strcasecmp strcat
strchr strcmp strcoll strcpy strcspn strdup strerror strlcat strlcpy strlen strncasecmp strncat
strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod strtof strtok strtok_r strtol
strtold strtoll strtoul strtoull strxfrm system tan tanf tanh tanhf tanhl tanl terminate tgamma
tgammaf tgammal times tmpfile tmpfile64 toascii trunc truncf truncl uname ungetc unlink unsetenv
utime utimes valloc vec_calloc vec_free vec_malloc vec_realloc vfork vfprintf vfscanf vprintf vscanf
vsnprintf vsprintf vsscanf wcscmp wcslen wmemcpy wmemset write
_except_handler3 _except_handler4 __xlcxx_personality_v0 __zos_cxx_personality_v2
";

/// Whether LLVM knows a function of this name, or takes the name for an intrinsic.
pub fn is_known_by_name(name: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| NAMES.split_whitespace().collect());
    // A leading 1 byte keeps targets from mangling a name.
    let name = name.strip_prefix("\\01").unwrap_or(name);
    KNOWN.contains(name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
