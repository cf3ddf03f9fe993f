//! Methods and cases with the promises that tests need.

use forge::{Behaviour, Case, Interface, Language, Method, Promise, Ticket};
use smoke::Smoke;

use crate::inline::count;

/// A method whose cases promise the output "right".
pub(crate) struct Right(pub(crate) Smoke);

/// The case with that promise.
pub(crate) fn right(case: Case) -> Case {
    let behaviours = vec![Behaviour::Value("right".into()); case.inputs.len()];
    Case { promise: Promise::Yields(behaviours), ..case }
}

impl Method for Right {
    fn name(&self) -> &str {
        "right"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        ""
    }

    fn language(&self) -> Language {
        self.0.language()
    }

    fn interface(&self) -> Interface {
        self.0.interface()
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let toy = Ticket::new(self.0.name(), ticket.seed, ticket.index);
        // One input, because the compiler answers once.
        let made = self.0.make(&toy)?;
        let (origin, inputs) = (ticket.clone().into(), made.inputs[..1].to_vec());
        Some(right(Case { origin, inputs, ..made }))
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> forge::Candidates<'a> {
        Box::new(self.0.smaller(case).map(|smaller| smaller.map(right)))
    }
}

/// A case with both `xor` and `mul`, with that promise.
pub(crate) fn with_both() -> Case {
    let smoke = Smoke::toy();
    let both = (0..500)
        .step_by(5)
        .filter_map(|index| smoke.make(&Ticket::new("smoke-toy", 1, index)))
        .find(|case| count(&case.programs[0], "xor") > 0 && count(&case.programs[0], "mul") > 0)
        .expect("a case with both");
    right(Case { inputs: both.inputs[..1].to_vec(), ..both })
}

/// The cases of the first tickets.
pub(crate) fn toys(count: u64) -> Vec<Case> {
    let make = |index| Smoke::toy().make(&Ticket::new("smoke-toy", 1, index)).unwrap();
    (0..count).map(make).collect()
}
