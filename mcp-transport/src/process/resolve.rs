//! From a configured name to the file to execute, as the *server's* environment says.
//!
//! The system's own lookup would use the `PATH` of this process, and its error would not tell a
//! missing program from a missing folder.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{self, Path, PathBuf};

use super::command::Command;
use super::error::{SpawnError, SpawnErrorKind};

/// Checks the working folder and finds the program; the path returned is absolute.
pub(super) fn program(command: &Command) -> Result<PathBuf, SpawnError> {
    check_text(command)?;
    if let Some(cwd) = command.as_cwd() {
        check_folder(command, cwd)?;
    }
    let name = command.as_program();
    if name.as_bytes().contains(&b'/') {
        at_path(command, Path::new(name))
    } else {
        on_path(command, name)
    }
}

fn check_text(command: &Command) -> Result<(), SpawnError> {
    let invalid = |detail: String| {
        Err(SpawnError::new(
            SpawnErrorKind::InvalidInput,
            command,
            detail,
        ))
    };
    if command.as_program().is_empty() {
        return invalid("the command is empty".to_owned());
    }
    let texts = [command.as_program()]
        .into_iter()
        .chain(command.as_args().iter().map(OsString::as_os_str))
        .chain(command.as_cwd().map(Path::as_os_str));
    if texts.into_iter().any(has_nul) {
        return invalid("its name, folder or an argument holds a NUL byte".to_owned());
    }
    for (name, value) in command.as_env() {
        if name.is_empty() || name.as_bytes().contains(&b'=') || has_nul(name) || has_nul(value) {
            let name = name.to_string_lossy();
            return invalid(format!(
                "the variable `{}` cannot be set",
                name.escape_debug()
            ));
        }
    }
    Ok(())
}

fn has_nul(text: &OsStr) -> bool {
    text.as_bytes().contains(&0)
}

fn check_folder(command: &Command, cwd: &Path) -> Result<(), SpawnError> {
    let failed = |kind, detail: &str| SpawnError::new(kind, command, detail);
    match cwd.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(failed(
            SpawnErrorKind::NotADirectory,
            "that working folder is a file",
        )),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::NotFound => failed(
                SpawnErrorKind::NoSuchDirectory,
                "that working folder does not exist",
            ),
            io::ErrorKind::NotADirectory => failed(
                SpawnErrorKind::NotADirectory,
                "a part of that working folder's path is a file",
            ),
            _ => failed(
                SpawnErrorKind::Other,
                "that working folder cannot be looked at",
            ),
        }
        .with_source(error)),
    }
}

fn at_path(command: &Command, name: &Path) -> Result<PathBuf, SpawnError> {
    let path = absolute(command, name)?;
    let shown = path.display();
    let failed = |kind, detail: String| SpawnError::new(kind, command, detail);
    match path.metadata() {
        Ok(found) if found.is_dir() => Err(failed(
            SpawnErrorKind::NotExecutable,
            format!("{shown} is a folder"),
        )),
        Ok(found) if found.permissions().mode() & EXECUTABLE == 0 => Err(failed(
            SpawnErrorKind::NotExecutable,
            format!("{shown} is not marked executable; `chmod +x` it or name its interpreter"),
        )),
        Ok(_) => Ok(path),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::NotFound => failed(
                SpawnErrorKind::NoSuchCommand,
                format!("{shown} does not exist"),
            ),
            io::ErrorKind::NotADirectory => failed(
                SpawnErrorKind::NotADirectory,
                format!("a part of {shown} is not a folder"),
            ),
            io::ErrorKind::PermissionDenied => failed(
                SpawnErrorKind::NotExecutable,
                format!("a folder on the way to {shown} may not be entered"),
            ),
            _ => failed(
                SpawnErrorKind::Other,
                format!("{shown} cannot be looked at"),
            ),
        }
        .with_source(error)),
    }
}

fn on_path(command: &Command, name: &OsStr) -> Result<PathBuf, SpawnError> {
    let given = command.as_env().get(OsStr::new("PATH"));
    let searched = given.map_or_else(|| OsStr::new(DEFAULT_PATH), OsString::as_os_str);
    let mut refused = None;
    for folder in env::split_paths(searched) {
        // An empty element means the working folder, as it does for a shell.
        let path = absolute(command, &folder.join(name))?;
        match path.metadata() {
            Ok(found) if !found.is_file() => {}
            Ok(found) if found.permissions().mode() & EXECUTABLE != 0 => return Ok(path),
            Ok(_) => refused = refused.or(Some(path)),
            Err(_) => {}
        }
    }
    let (kind, detail) = match refused {
        Some(path) => (
            SpawnErrorKind::NotExecutable,
            format!("{} is not marked executable; `chmod +x` it", path.display()),
        ),
        None => (
            SpawnErrorKind::NoSuchCommand,
            not_found(searched, given.is_some()),
        ),
    };
    Err(SpawnError::new(kind, command, detail).with_searched(searched))
}

fn not_found(searched: &OsStr, given: bool) -> String {
    let searched = searched.to_string_lossy();
    let whose = if given {
        "the server's PATH"
    } else {
        "the default PATH, as the server has none,"
    };
    format!(
        "no such command on {whose} ({searched}); install it, add its folder to PATH in the \
         server's environment, or give its full path"
    )
}

/// Joins a path to the server's folder, without following links.
fn absolute(command: &Command, path: &Path) -> Result<PathBuf, SpawnError> {
    let joined = command
        .as_cwd()
        .map_or_else(|| path.to_path_buf(), |cwd| cwd.join(path));
    path::absolute(joined).map_err(|error| {
        let detail = "the folder it is relative to cannot be found";
        SpawnError::new(SpawnErrorKind::Other, command, detail).with_source(error)
    })
}

/// Any of the three execute bits; which of them counts for us is left to the kernel.
const EXECUTABLE: u32 = 0o111;

/// What a C library searches when there is no `PATH`.
const DEFAULT_PATH: &str = "/usr/bin:/bin";
