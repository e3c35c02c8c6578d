//! Running a program under the agent: what is started, with which options, and how it is waited for.

pub mod again;
pub mod agent;
pub mod checks;
pub mod command;
pub mod facts;
pub mod java;
pub mod jdwp;
pub mod outcome;
pub mod run;
pub mod session;
