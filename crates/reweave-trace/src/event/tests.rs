use super::*;

fn event(kind: Kind, form: Form, previous: Option<Link>, tag: Tag, value: Option<u64>) -> Event {
    Event {
        position: Position(100),
        kind,
        site: SiteId(0xfeed_beef),
        form,
        previous,
        tag,
        value,
    }
}

fn link(stream: u32, position: u64) -> Option<Link> {
    Some(Link::new(StreamId(stream), Position(position)))
}

#[track_caller]
fn check_both_ways(event: Event) {
    let words = encode(&event).expect("can be written");
    assert_eq!(words.len(), event.form.words());
    assert_eq!(decode(StreamId(3), event.position, &words), Ok(event));
}

#[test]
fn every_kind_and_form_leads_back() {
    for &kind in Kind::ALL {
        for &form in kind.forms() {
            match form {
                Form::Short if kind == Kind::Repeat => {
                    check_both_ways(event(kind, form, None, Tag(1), None));
                    check_both_ways(event(kind, form, None, Tag(0xff_ffff), None));
                }
                Form::Short => {
                    check_both_ways(event(kind, form, None, Tag::NONE, None));
                    check_both_ways(event(kind, form, link(3, 1), Tag::NONE, None));
                    check_both_ways(event(kind, form, link(3, 99), Tag::NONE, None));
                }
                Form::Linked => {
                    check_both_ways(event(kind, form, None, Tag::class(ClassId(9)), None));
                    check_both_ways(event(
                        kind,
                        form,
                        link(0xff_ffff, 1 << 39),
                        Tag::shared(0x7f_ffff),
                        None,
                    ));
                }
                Form::Valued => {
                    check_both_ways(event(kind, form, None, Tag::NONE, Some(0)));
                    check_both_ways(event(
                        kind,
                        form,
                        link(1, 1),
                        Tag::shared(0),
                        Some(u64::MAX),
                    ));
                }
            }
        }
    }
}

#[test]
fn the_first_word_is_laid_out_as_documented() {
    let words = encode(&event(
        Kind::Acquire,
        Form::Short,
        link(3, 93),
        Tag::NONE,
        None,
    ))
    .unwrap();
    assert_eq!(words[0], 7 << 40 | 1 << 38 | 1 << 32 | 0xfeed_beef);
    let words = encode(&event(Kind::Start, Form::Valued, None, Tag::NONE, Some(2))).unwrap();
    assert_eq!(words[..], [3 << 38 | 5 << 32 | 0xfeed_beef, 0, 2]);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let refused = |event: Event| encode(&event).unwrap_err();
    assert!(matches!(
        refused(event(Kind::Exit, Form::Valued, None, Tag::NONE, Some(1))),
        EncodeError::Form { .. }
    ));
    assert!(matches!(
        refused(event(
            Kind::Acquire,
            Form::Short,
            link(3, 100),
            Tag::NONE,
            None
        )),
        EncodeError::Distance { .. }
    ));
    assert!(matches!(
        refused(event(Kind::Acquire, Form::Linked, None, Tag(1 << 24), None)),
        EncodeError::Tag { .. }
    ));
    assert_eq!(
        refused(event(Kind::Acquire, Form::Linked, None, Tag::NONE, Some(1))),
        EncodeError::Parts
    );
    assert_eq!(
        refused(event(Kind::Wait, Form::Valued, None, Tag::NONE, None)),
        EncodeError::Parts
    );
}

#[test]
fn damage_is_named() {
    let read = |words: &[u64]| decode(StreamId(1), Position(5), words).unwrap_err();
    assert!(matches!(
        read(&[0]),
        DecodeError::Unknown {
            kind: 0,
            form: 0,
            ..
        }
    ));
    assert!(matches!(
        read(&[1 << 38 | 63 << 32]),
        DecodeError::Unknown { kind: 63, .. }
    ));
    assert!(matches!(
        read(&[1 << 38 | 2 << 32]),
        DecodeError::Form {
            kind: Kind::Wait,
            ..
        }
    ));
    assert!(matches!(
        read(&[2 << 38 | 1 << 32]),
        DecodeError::Truncated {
            needs: 2,
            has: 1,
            ..
        }
    ));
    assert!(matches!(
        read(&[5 << 40 | 1 << 38 | 1 << 32]),
        DecodeError::Distance { distance: 5, .. }
    ));
    assert!(matches!(
        read(&[2 << 38 | 1 << 32, 17]),
        DecodeError::Link { word: 17, .. }
    ));
}

#[test]
fn a_row_of_events_is_read_in_order_and_stops_at_damage() {
    let acquire = Event {
        position: Position(1),
        ..event(Kind::Acquire, Form::Linked, None, Tag::NONE, None)
    };
    let again = Event {
        position: Position(3),
        ..event(Kind::Acquire, Form::Short, link(1, 1), Tag::NONE, None)
    };
    let mut words: Vec<u64> = Vec::new();
    words.extend_from_slice(&encode(&acquire).unwrap());
    words.extend_from_slice(&encode(&again).unwrap());
    words.push(0);
    words.extend_from_slice(&encode(&again).unwrap());
    let read: Vec<_> = Events::new(StreamId(1), Position::FIRST, &words).collect();
    assert_eq!(read.len(), 3);
    assert_eq!((read[0], read[1]), (Ok(acquire), Ok(again)));
    assert_eq!(read[2].unwrap_err().position(), Position(4));
}
