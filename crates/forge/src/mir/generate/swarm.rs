//! What a ticket uses: each draws its own sizes and features, so that some programs are all unions and
//! others all calls.

use crate::Entropy;

#[derive(Clone, Debug)]
pub(super) struct Swarm {
    /// Statements between two terminators, at most.
    pub(super) statements: u64,
    /// Terminators of a function, at most.
    pub(super) rounds: u64,
    pub(super) functions: usize,
    pub(super) structs: u64,
    pub(super) unions: u64,
    pub(super) pointers: bool,
    pub(super) storage: bool,
    pub(super) moves: bool,
    /// Weights of: switch, call, loop, goto.
    pub(super) control: [u64; 4],
}

impl Swarm {
    pub(super) fn draw(entropy: &mut Entropy) -> Self {
        let mut weight =
            |most: u64| if entropy.chance(1, 4) { 0 } else { entropy.between(1, most) };
        let control = [weight(6) + 1, weight(5), weight(3), weight(2)];
        Self {
            statements: entropy.between(2, 10),
            rounds: entropy.between(2, 8),
            functions: entropy.between(1, 6) as usize,
            structs: entropy.below(4),
            unions: entropy.below(3),
            pointers: entropy.chance(1, 2),
            storage: entropy.chance(1, 2),
            moves: entropy.chance(3, 4),
            control,
        }
    }
}
