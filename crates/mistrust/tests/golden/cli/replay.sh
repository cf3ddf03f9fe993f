#!/bin/sh
# toyc: miscompilation by peephole
#
# Found by Mistrust, a compiler fuzzer. This needs nothing but the compiler.
# It ends with 1 if the bug shows, with 0 if it does not, with 2 if neither can be said.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cp "$here"/reduced/base.toy "$work"/ || exit 2
cd "$work" || exit 2

show() {
    out=$(timeout 60 "$@"); status=$?
    if [ -n "$out" ]; then printf '%s\n' "$out"; fi
    if [ $status -gt 128 ]; then printf '[SIG%s]\n' "$(kill -l $((status - 128)))"
    elif [ $status -ne 0 ]; then printf '[exit %s]\n' $status; fi
}

expected=1
echo '$ toyc --bug wrong-sub -O2 -o base.out base.toy'
timeout 60 toyc --bug wrong-sub -O2 -o base.out base.toy || exit 2
echo '$ ./base.out 4294967295'
actual=$(show ./base.out 4294967295 </dev/null)
echo "expected: $expected"
echo "actual:   $actual"
if [ "$expected" = "$actual" ]; then echo 'the bug does not show'; exit 0; fi
echo 'the bug shows'; exit 1
