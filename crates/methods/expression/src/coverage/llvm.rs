//! LLVM IR.

use super::{Operators, Words, infix};

pub(super) const OPERATORS: &[Operators] = &[Operators {
    language: "llvm",
    generated: &[&[
        infix("add sub mul udiv sdiv urem srem shl lshr ashr and or xor nuw nsw exact"),
        Words(" icmp ", "eq ne ult ule ugt uge slt sle sgt sge", " "),
        infix("select phi trunc zext sext"),
        Words("@llvm.", "umin umax smin smax abs ctlz cttz ctpop bswap bitreverse fshl fshr", "."),
        Words("@llvm.", "uadd usub sadd ssub ushl", ".sat."),
        Words("@llvm.", "uadd usub umul sadd ssub smul", ".with.overflow."),
    ]],
    left_out: &[
        ("@llvm.sshl.sat.", "its pattern has eight copies of its operands"),
        ("@llvm.scmp.", "LLVM 19"),
        ("@llvm.ucmp.", "LLVM 19"),
        ("@llvm.smul.fix.", "fixed-point numbers"),
        ("@llvm.umul.fix.", "fixed-point numbers"),
        (" freeze ", "the identity on all values that a program has"),
        (" disjoint ", "LLVM 18"),
        (" nneg ", "LLVM 18"),
        (" samesign ", "LLVM 20"),
        ("trunc nuw ", "LLVM 19"),
    ],
}];
