//! Generates a recipe from entropy. Sizes and operators are drawn per ticket (swarm testing), so some
//! cases are tiny and some use only two operators.

use super::recipe::{Operand, Operator, Promised, Recipe, Statement};
use forge::Entropy;

const PROMISES: [Promised; 5] = [
    Promised::Yields,
    Promised::Compiles,
    Promised::Survives,
    Promised::Agrees,
    Promised::Equivalent,
];
const EDGE_CASES: [u32; 8] = [0, 1, 2, 31, 32, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// The promises take turns, so any five consecutive tickets cover them all.
pub(super) fn recipe(entropy: &mut Entropy, index: u64) -> Recipe {
    let promise = PROMISES[(index % PROMISES.len() as u64) as usize];
    let parameters = entropy.between(1, 3) as usize;
    let inputs = (0..entropy.between(1, 3))
        .map(|_| (0..parameters).map(|_| word(entropy)).collect())
        .collect();
    let mut swarm: Vec<Operator> =
        Operator::ALL.into_iter().filter(|_| entropy.chance(2, 3)).collect();
    if swarm.is_empty() {
        swarm.push(Operator::Add);
    }
    let statements = (0..entropy.between(2, 24) as usize)
        .map(|defined| Statement {
            operator: entropy.pick(&swarm).copied().unwrap_or(Operator::Add),
            left: operand(entropy, parameters, defined),
            right: operand(entropy, parameters, defined),
        })
        .collect();
    let mut recipe = Recipe { promise, parameters, inputs, statements };
    if promise == Promised::Survives && entropy.chance(1, 2) {
        make_invalid(entropy, &mut recipe);
    }
    recipe
}

/// Makes the program invalid: it uses a value that is never defined.
fn make_invalid(entropy: &mut Entropy, recipe: &mut Recipe) {
    let count = recipe.statements.len();
    let at = entropy.below(count as u64) as usize;
    recipe.statements[at].right = Operand::Value(count + 7);
}

fn operand(entropy: &mut Entropy, parameters: usize, defined: usize) -> Operand {
    match entropy.below(8) {
        0 => Operand::Constant(word(entropy)),
        1 | 2 => Operand::Parameter(entropy.below(parameters as u64) as usize),
        _ if defined > 0 => {
            // Prefers recent values, so that long dependency chains form.
            let back = entropy.below(4.min(defined as u64)) as usize;
            Operand::Value(defined - 1 - back)
        }
        _ => Operand::Parameter(entropy.below(parameters as u64) as usize),
    }
}

fn word(entropy: &mut Entropy) -> u32 {
    if entropy.chance(1, 2) {
        entropy.pick(&EDGE_CASES).copied().unwrap_or(0)
    } else {
        entropy.word() as u32
    }
}
