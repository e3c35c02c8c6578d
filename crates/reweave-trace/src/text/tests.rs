use super::*;

/// Prints what was read, and reads again what was printed.
#[track_caller]
fn check_same(text: &str) {
    let process = parse(text).expect("can be read");
    let printed = print(&process).expect("can be printed");
    let again = parse(&printed).expect("can be read again");
    assert_eq!(again.threads, process.threads, "printed as:\n{printed}");
}

#[track_caller]
fn check_wrong(text: &str, expected: &str) {
    assert_eq!(parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn locks_and_threads() {
    check_same(
        "
        t1 start t2
        t1 acquire m:Account @Bank.java:12
        t1 acquire m
        t2 acquire m
        t2 acquire n
        t1 acquire n
        t2 exit
        t1 join t2
        ",
    );
}

#[test]
fn wait_and_notify() {
    check_same(
        "
        t1 start t2
        t1 acquire m     # released by the wait below
        t2 acquire m
        t2 notify m
        t1 wait m by 5
        t1 wait m timed-out
        t2 notify-all m
        t1 wait m spurious
        t1 wait m interrupted
        ",
    );
}

#[test]
fn everything_else() {
    check_same(
        "
        t1 hook t2
        t1 start t3
        c4 class-init t1
        c4 class-init-end
        t1 interrupt t3
        t3 interrupted? t3 set cleared
        t3 sleep interrupted
        t3 sleep
        t3 park
        t1 unpark t3
        t3 park
        t1 value 18446744073709551615
        t1 output 1 4711 5
        t1 foreign m
        t1 join t3 timed-out
        t1 join t3 interrupted
        t1 uncaught java.lang.Error
        t1 halt 3
        t2 exit
        ",
    );
}

#[test]
fn objects_of_one_cell() {
    let process = parse("t1 acquire c%1\nt1 acquire c%2\nt1 acquire c%1").unwrap();
    let tags: Vec<_> = process.threads[0]
        .events()
        .map(|event| event.unwrap().tag.shared_number())
        .collect();
    assert_eq!(tags, [Some(1), Some(2), Some(1)]);
    check_same("t1 acquire c%1\nt1 acquire c%2\nt1 acquire c%1\nt1 start t2\nt2 acquire c%2");
}

#[test]
fn the_short_form_is_used_where_it_can_be() {
    let process = parse("t1 acquire m\nt1 acquire m\nt2 acquire m\nt1 acquire m").unwrap();
    let forms: Vec<_> = process.threads[0]
        .events()
        .map(|event| event.unwrap().form)
        .collect();
    assert_eq!(forms, [Form::Linked, Form::Short, Form::Linked]);
}

#[test]
fn mistakes_are_named() {
    check_wrong(
        "t1 acquire",
        "line 1: `acquire` in t1 cannot be followed by ``",
    );
    check_wrong("\nt1 fly m", "line 2: `fly` is no kind of event");
    check_wrong(
        "x acquire m",
        "line 1: `x` is no thread; t1, t2, … are, and c1, c2, … for class initialisers",
    );
    check_wrong("t1 join t2", "line 1: t2 has not ended");
    check_wrong(
        "t1 wait m by 9",
        "line 1: there is no event on line 9 above",
    );
}

#[test]
fn switches_and_inputs() {
    check_same(
        "
        t1 start t2
        t1 switch t2 callback 17
        t2 input 0 5
        t2 switch t1 instruction 3
        t1 switch t2 blocked 40
        t2 switch t1 ended 9
        ",
    );
}
