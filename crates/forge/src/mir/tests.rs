use super::*;

fn ticket(index: u64) -> Ticket {
    Ticket::new("mir", 1, index)
}

#[test]
fn nearly_every_ticket_gives_a_program_with_a_behaviour() {
    let made = (0..300).filter_map(|index| Mir::sized(None).make(&ticket(index))).count();
    assert!(made >= 295, "only {made} of 300");
}

#[test]
fn the_same_ticket_gives_the_same_bytes() {
    for index in 0..20 {
        assert_eq!(Mir::sized(None).make(&ticket(index)), Mir::sized(None).make(&ticket(index)));
    }
}

#[test]
fn a_program_survives_being_stored() {
    for index in 0..100 {
        let case = Mir::sized(None).make(&ticket(index)).unwrap();
        let kept = Mir::sized(None).whole(&case);
        assert!(kept.model.is_some(), "numbers of 128 bits are stored, too");
        let program = Mir::program(&kept).unwrap();
        let again = Mir::case(&case.ticket, &program).unwrap();
        assert_eq!(again, case);
    }
}

#[test]
fn whatever_shrinks_still_has_a_behaviour_and_is_not_the_same() {
    for index in 0..5 {
        let case = Mir::sized(None).whole(&Mir::sized(None).make(&ticket(index)).unwrap());
        let mut candidates = 0;
        for smaller in Mir::sized(None).smaller(&case).take(200) {
            candidates += 1;
            let program = Mir::program(&smaller).unwrap();
            assert!(interpret::run(&program, FUEL).is_ok());
            assert_ne!(smaller.programs, case.programs);
        }
        assert!(candidates > 5, "ticket {index} has {candidates} candidates");
    }
}
