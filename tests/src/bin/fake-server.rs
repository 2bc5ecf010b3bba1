//! A stdio server that does what its script says: `fake-server SCRIPT FOLDER`.
//!
//! The folder takes the record of what it heard and did. Scripts are described in
//! `transcripts/README.md`.

#![expect(clippy::print_stderr, reason = "a server's log")]

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [script, folder] = arguments.as_slice() else {
        eprintln!("usage: fake-server SCRIPT FOLDER");
        std::process::exit(2);
    };
    let code = mcp_tests::play::play(Path::new(script), Path::new(folder));
    match code {
        Ok(code) => std::process::exit(code),
        Err(why) => {
            eprintln!("{script}: {why}");
            std::process::exit(2);
        }
    }
}
