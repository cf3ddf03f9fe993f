//! Types. Pointers may still have a pointee type, as LLVM before 15 prints them; nothing but printing
//! depends on it.

use std::sync::Arc;

/// A type of LLVM IR.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Int(u32),
    Float(FloatKind),
    Pointer {
        space: u32,
        /// The pointee, in versions that have typed pointers.
        to: Option<Arc<Type>>,
    },
    Vector {
        lanes: u32,
        scalable: bool,
        of: Arc<Type>,
    },
    Array {
        length: u64,
        of: Arc<Type>,
    },
    Struct {
        fields: Arc<[Type]>,
        packed: bool,
    },
    /// A named type of the module, without its `%`.
    Named(Arc<str>),
    Function {
        returns: Arc<Type>,
        parameters: Arc<[Type]>,
        variadic: bool,
    },
    Label,
    Token,
    Metadata,
    /// `x86_amx`, `target("…")` and whatever else there is, as written.
    Other(Arc<str>),
}

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
}

impl FloatKind {
    pub const ALL: [Self; 7] = [
        Self::Half,
        Self::BFloat,
        Self::Float,
        Self::Double,
        Self::X86Fp80,
        Self::Fp128,
        Self::PpcFp128,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::BFloat => "bfloat",
            Self::Float => "float",
            Self::Double => "double",
            Self::X86Fp80 => "x86_fp80",
            Self::Fp128 => "fp128",
            Self::PpcFp128 => "ppc_fp128",
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Self::Half | Self::BFloat => 16,
            Self::Float => 32,
            Self::Double => 64,
            Self::X86Fp80 => 80,
            Self::Fp128 | Self::PpcFp128 => 128,
        }
    }
}

impl Type {
    pub const BOOL: Self = Self::Int(1);
    pub const POINTER: Self = Self::Pointer { space: 0, to: None };

    pub fn vector(lanes: u32, of: Self) -> Self {
        Self::Vector { lanes, scalable: false, of: Arc::new(of) }
    }

    /// The type of a lane of a vector; any other type is its own lane.
    pub fn lane(&self) -> &Self {
        match self {
            Self::Vector { of, .. } => of,
            _ => self,
        }
    }

    /// How many lanes it has, if it is a scalar or a vector whose length is known.
    pub fn lanes(&self) -> Option<u32> {
        match self {
            Self::Vector { scalable: true, .. } => None,
            Self::Vector { lanes, .. } => Some(*lanes),
            _ => Some(1),
        }
    }

    /// The same with another type of lane.
    #[must_use]
    pub fn with_lane(&self, of: Self) -> Self {
        match self {
            Self::Vector { lanes, scalable, .. } => {
                Self::Vector { lanes: *lanes, scalable: *scalable, of: Arc::new(of) }
            }
            _ => of,
        }
    }

    pub fn is_vector(&self) -> bool {
        matches!(self, Self::Vector { .. })
    }

    pub fn is_pointer(&self) -> bool {
        matches!(self, Self::Pointer { .. })
    }

    pub fn is_int(&self) -> bool {
        matches!(self, Self::Int(_))
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Self::Float(_))
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(self, Self::Array { .. } | Self::Struct { .. } | Self::Named(_))
    }

    /// The width of an integer or of each lane of a vector of integers.
    pub fn int_width(&self) -> Option<u32> {
        match self.lane() {
            Self::Int(width) => Some(*width),
            _ => None,
        }
    }

    /// Whether a value of it can be an operand, a parameter or a result of most instructions.
    pub fn is_first_class(&self) -> bool {
        !matches!(self, Self::Void | Self::Function { .. } | Self::Label | Self::Metadata)
    }
}
