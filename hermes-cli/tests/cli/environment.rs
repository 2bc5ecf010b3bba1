//! What a server's process is given: variables, a folder, and the path on which it is found.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Home, finish};

/// Case BR-087.
#[test]
fn a_server_gets_the_few_variables_and_what_its_configuration_names() {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_hermes");
    let script = format!(
        "env > '{}'; exec '{program}' mcp demo-server",
        home.file("seen")
    );
    let server = format!(
        "    command: sh\n    args: [-c, \"{script}\"]\n    env: {{MY_VAR: \"\"}}\n    env_passthrough: [PASSED]\n"
    );
    home.write("config.yaml", &format!("mcp_servers:\n  s:\n{server}"));
    let folder = home.file("");
    let mut command = home.command(&["mcp", "test", "s"]);
    command.env_clear().envs([
        ("PATH", "/usr/bin:/bin"),
        ("HOME", &folder),
        ("HERMES_HOME", &folder),
        ("HTTPS_PROXY", "http://p.test"),
        ("PASSED", "yes"),
        ("SECRET_PARENT", "no"),
        ("XDG_DATA_HOME", "/x"),
    ]);
    let run = finish(command, "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let seen = home.read("seen");
    let of_home = format!("HOME={folder}");
    for line in [
        "PATH=/usr/bin:/bin",
        &of_home,
        "MY_VAR=",
        "PASSED=yes",
        "XDG_DATA_HOME=/x",
    ] {
        assert!(seen.lines().any(|one| one == line), "{line}: {seen}");
    }
    for name in ["SECRET_PARENT=", "HTTPS_PROXY=", "HERMES_HOME="] {
        assert!(!seen.lines().any(|one| one.starts_with(name)), "{seen}");
    }
}

#[test]
fn a_command_is_found_on_the_path_of_its_server_and_runs_in_its_folder() {
    let home = Home::new();
    let (bin, work) = (home.file("bin"), home.file("work"));
    for folder in [&bin, &work] {
        std::fs::create_dir(folder).expect("a folder can be made");
    }
    let program = env!("CARGO_BIN_EXE_hermes");
    let script = format!(
        "#!/bin/sh\npwd > '{}'\nexec '{program}' mcp demo-server\n",
        home.file("seen")
    );
    home.write("bin/only-here", &script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.file("bin/only-here"), mode).expect("it can be started");
    let server =
        |env: &str| format!("mcp_servers:\n  s:\n    command: only-here\n    cwd: '{work}'\n{env}");
    home.write(
        "config.yaml",
        &server(&format!("    env: {{PATH: '{bin}:/usr/bin:/bin'}}\n")),
    );
    let run = home.run(&["mcp", "test", "s"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    assert_eq!(home.read("seen"), format!("{work}\n"));

    // It is not on our own path.
    home.write("config.yaml", &server(""));
    let run = home.run(&["mcp", "test", "s"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("cannot start `only-here`"), "{run:?}");
}
