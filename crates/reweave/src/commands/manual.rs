//! `completions` and `man`: both are made from the command line's own description.

use crate::cli::{self, Cli};
use crate::exit::{Exit, Failure};
use crate::report::terminal::Terminal;
use clap::CommandFactory;

pub fn completions(options: &cli::Completions, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "reweave", &mut script);
    terminal.print(|out| out.write_all(&script))?;
    Ok(Exit::SUCCESS)
}

/// The page of the command, followed by those of its verbs.
pub fn page(terminal: &Terminal) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .and_then(|()| {
            for verb in command
                .get_subcommands()
                .filter(|verb| verb.get_name() != "help")
            {
                clap_mangen::Man::new(verb.clone()).render(&mut page)?;
            }
            Ok(())
        });
    rendered.map_err(Failure::output)?;
    terminal.print(|out| out.write_all(&page))?;
    Ok(Exit::SUCCESS)
}
