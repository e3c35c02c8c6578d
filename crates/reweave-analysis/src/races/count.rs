//! Counts races as DroidRacer's authors did for their tables: one per location and class.
//!
//! A location is an object and an offset, or a class and a static field. It may count in several classes. The order of
//! the checks has a twist that the tables depend on: a pair that differs in delays counts as delayed, and is looked at
//! for cross posts only if it was not the first delayed pair of its location.

use super::classify::{Nature, RaceClass};
use super::event::{AccessKind, EventIndex, LocationId};
use super::log::Log;
use super::pairs::{Coverage, RacingRuns, each};
use super::relation::Relation;
use std::collections::BTreeMap;

/// Locations per class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub multi_threaded: u64,
    pub cross_posted: u64,
    /// On classes of the user interface.
    pub co_enabled_ui: u64,
    pub co_enabled_other: u64,
    pub delayed: u64,
    pub uncategorised: u64,
    /// Distinct locations with a race.
    pub locations: u64,
    /// Racing pairs of accesses.
    pub pairs: u64,
}

impl Counts {
    pub fn co_enabled(&self) -> u64 {
        self.co_enabled_ui + self.co_enabled_other
    }
}

/// The classes that are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counted {
    MultiThreaded,
    CrossPosted,
    CoEnabledUi,
    CoEnabledOther,
    Delayed,
    Uncategorised,
}

impl Counted {
    pub fn class(self) -> RaceClass {
        match self {
            Counted::MultiThreaded => RaceClass::MultiThreaded,
            Counted::CrossPosted => RaceClass::CrossPosted,
            Counted::CoEnabledUi | Counted::CoEnabledOther => RaceClass::CoEnabled,
            Counted::Delayed => RaceClass::Delayed,
            Counted::Uncategorised => RaceClass::Uncategorised,
        }
    }
}

/// The pair of accesses for which a location was first counted in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    pub location: LocationId,
    pub counted: Counted,
    pub first: EventIndex,
    pub second: EventIndex,
    /// Racing pairs of accesses to the location, of whatever class.
    pub pairs: u64,
}

/// A count, with the pairs that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    pub counts: Counts,
    /// By location, then in the order in which they were found.
    pub witnesses: Vec<Witness>,
    pub coverage: Coverage,
}

/// Classes whose races the authors set apart as races of the toolkit.
const UI_CLASSES: &[&str] = &[
    "Landroid/view/View;",
    "Landroid/webkit/WebTextView;",
    "Landroid/webkit/WebView;",
    "Landroid/widget/AnalogClock;",
    "Landroid/widget/AutoCompleteTextView;",
    "Landroid/widget/Button;",
    "Landroid/widget/CalendarView;",
    "Landroid/widget/CheckBox;",
    "Landroid/widget/CheckedTextView;",
    "Landroid/widget/Chronometer;",
    "Landroid/widget/DatePicker;",
    "Landroid/widget/DateTimeView;",
    "Landroid/widget/DigitalClock;",
    "Landroid/widget/EditText;",
    "Landroid/widget/ExpandableListView;",
    "Landroid/widget/FrameLayout;",
    "Landroid/widget/Gallery;",
    "Landroid/widget/GridLayout;",
    "Landroid/widget/GridView;",
    "Landroid/widget/ImageButton;",
    "Landroid/widget/ImageView;",
    "Landroid/widget/LinearLayout;",
    "Landroid/widget/ListView;",
    "Landroid/widget/MediaController;",
    "Landroid/widget/NumberPicker;",
    "Landroid/widget/RadioButton;",
    "Landroid/widget/RadioGroup;",
    "Landroid/widget/RatingBar;",
    "Landroid/widget/RelativeLayout;",
    "Landroid/widget/ScrollView;",
    "Landroid/widget/SearchView;",
    "Landroid/widget/SeekBar;",
    "Landroid/widget/Spinner;",
    "Landroid/widget/Switch;",
    "Landroid/widget/TabHost;",
    "Landroid/widget/TabWidget;",
    "Landroid/widget/TableLayout;",
    "Landroid/widget/TableRow;",
    "Landroid/widget/TextView;",
    "Landroid/widget/TimePicker;",
    "Landroid/widget/Toast;",
    "Landroid/widget/ToggleButton;",
    "Landroid/widget/ViewAnimator;",
    "Landroid/widget/ViewFlipper;",
];

/// A pair of accesses, in the order in which pairs of a location are looked at: reads with writes, then writes with
/// writes, by the first access, then by the second.
type Rank = (AccessKind, EventIndex, EventIndex);

/// What one location has been counted in.
#[derive(Debug, Default)]
struct Location {
    found: BTreeMap<Counted, Rank>,
    /// The two first pairs that differ in cross posts: the first one may turn out to count as delayed only.
    cross: [Option<Rank>; 2],
    delayed: Option<Rank>,
    pairs: u64,
}

impl Location {
    fn see(&mut self, counted: Counted, rank: Rank) {
        let first = self.found.entry(counted).or_insert(rank);
        *first = (*first).min(rank);
    }

    fn see_cross(&mut self, rank: Rank) {
        match self.cross {
            [Some(first), _] if rank == first => (),
            [Some(first), _] if rank < first => self.cross = [Some(rank), Some(first)],
            [Some(_), Some(second)] if rank >= second => (),
            [Some(_), _] => self.cross[1] = Some(rank),
            [None, _] => self.cross[0] = Some(rank),
        }
    }

    fn finish(&mut self) {
        if let Some(delayed) = self.delayed {
            self.see(Counted::Delayed, delayed);
        }
        let cross = self
            .cross
            .into_iter()
            .flatten()
            .find(|rank| Some(*rank) != self.delayed);
        if let Some(cross) = cross {
            self.see(Counted::CrossPosted, cross);
        }
    }
}

/// Counts the races of a log.
pub fn count(log: &Log, relation: &Relation, bound: u64) -> Tally {
    let mut locations: BTreeMap<LocationId, Location> = BTreeMap::new();
    let mut counts = Counts::default();
    let coverage = each(log, relation, bound, |racing| {
        counts.pairs += racing.pairs();
        let location = locations.entry(racing.location).or_default();
        location.pairs += racing.pairs();
        note(log, location, &racing);
    });
    let mut witnesses = Vec::new();
    for (id, location) in &mut locations {
        location.finish();
        let mut found: Vec<(Counted, Rank)> = location
            .found
            .iter()
            .map(|(counted, rank)| (*counted, *rank))
            .collect();
        found.sort_by_key(|(_, rank)| *rank);
        counts.locations += u64::from(!found.is_empty());
        for (counted, (_, first, second)) in found {
            *counts.of(counted) += 1;
            witnesses.push(Witness {
                location: *id,
                counted,
                first,
                second,
                pairs: location.pairs,
            });
        }
    }
    Tally {
        counts,
        witnesses,
        coverage,
    }
}

impl Counts {
    fn of(&mut self, counted: Counted) -> &mut u64 {
        match counted {
            Counted::MultiThreaded => &mut self.multi_threaded,
            Counted::CrossPosted => &mut self.cross_posted,
            Counted::CoEnabledUi => &mut self.co_enabled_ui,
            Counted::CoEnabledOther => &mut self.co_enabled_other,
            Counted::Delayed => &mut self.delayed,
            Counted::Uncategorised => &mut self.uncategorised,
        }
    }
}

fn note(log: &Log, location: &mut Location, racing: &RacingRuns) {
    let rank = |first, second| (racing.first_kind, first, second);
    let first_rank = rank(racing.first.first, racing.second.first);
    match racing.nature {
        Nature::Threads => location.see(Counted::MultiThreaded, first_rank),
        Nature::Outside => (),
        Nature::CoEnabled => {
            let class = log.class_of(racing.first.first, racing.location);
            let is_ui = UI_CLASSES.binary_search(&class).is_ok();
            location.see(
                if is_ui {
                    Counted::CoEnabledUi
                } else {
                    Counted::CoEnabledOther
                },
                first_rank,
            );
        }
        Nature::Posts {
            delay_differs,
            cross_differs,
        } => {
            if delay_differs {
                location.delayed = Some(
                    location
                        .delayed
                        .map_or(first_rank, |old| old.min(first_rank)),
                );
            }
            if cross_differs {
                location.see_cross(first_rank);
                let second_rank = match (racing.second.second, racing.first.second) {
                    (Some(second), _) => Some(rank(racing.first.first, second)),
                    (None, Some(first)) => Some(rank(first, racing.second.first)),
                    (None, None) => None,
                };
                if let Some(second_rank) = second_rank {
                    location.see_cross(second_rank);
                }
            }
            if !delay_differs && !cross_differs {
                location.see(Counted::Uncategorised, first_rank);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_classes_are_sorted_for_search() {
        assert!(UI_CLASSES.is_sorted());
        assert_eq!(UI_CLASSES.len(), 44);
    }
}
