//! Text in columns that line up.

use std::io::{self, Write};

/// Which side of its column a cell keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

#[derive(Debug)]
pub struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// One title for each column.
    pub fn new(columns: &[(&str, Side)]) -> Table {
        Table {
            sides: columns.iter().map(|(_, side)| *side).collect(),
            rows: vec![
                columns
                    .iter()
                    .map(|(title, _)| (*title).to_owned())
                    .collect(),
            ],
        }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = |column: usize| {
            self.rows
                .iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.sides.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, width), side) in row.iter().zip(&widths).zip(&self.sides) {
                match side {
                    Side::Left => line.push_str(&format!("{cell:<width$}  ")),
                    Side::Right => line.push_str(&format!("{cell:>width$}  ")),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
