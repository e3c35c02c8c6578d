//! Text in columns that line up.

use std::io::{self, Write};

/// Which side of its column a cell keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Prints a table with a title over each column. The rows are asked for twice, first to see how wide the columns must be,
/// so that a long table need not be held in memory.
pub fn print<Rows>(
    columns: &[(&str, Side)],
    rows: impl Fn() -> Rows,
    out: &mut dyn Write,
) -> io::Result<()>
where
    Rows: Iterator<Item = Vec<String>>,
{
    let width = |text: &str| text.chars().count();
    let mut widths: Vec<usize> = columns.iter().map(|(title, _)| width(title)).collect();
    for row in rows() {
        for (column, cell) in widths.iter_mut().zip(&row) {
            *column = (*column).max(width(cell));
        }
    }
    let titles = columns
        .iter()
        .map(|(title, _)| (*title).to_owned())
        .collect();
    for row in std::iter::once(titles).chain(rows()) {
        let mut line = String::new();
        for ((cell, width), (_, side)) in row.iter().zip(&widths).zip(columns) {
            match side {
                Side::Left => line.push_str(&format!("{cell:<width$}  ")),
                Side::Right => line.push_str(&format!("{cell:>width$}  ")),
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
