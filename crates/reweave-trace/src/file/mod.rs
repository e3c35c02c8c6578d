pub mod header;
pub mod table;
