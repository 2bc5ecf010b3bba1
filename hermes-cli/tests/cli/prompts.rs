//! Prompts: what servers list, and how they are filled in.

use serde_json::Value;

use crate::support::Home;

#[test]
fn prompts_are_listed_with_what_they_take() {
    let home = Home::new();
    let run = home.run(&["mcp", "prompts", "--demo"]);
    let expected = "demo/greet\tname [tone]\tAsks for a greeting.\n";
    assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{run:?}");
    let run = home.run(&["mcp", "prompts", "demo", "--demo", "--json"]);
    let list = concat!(
        r#""prompts":[{"server":"demo","name":"greet","title":null,"#,
        r#""description":"Asks for a greeting.","arguments":[{"name":"name","title":null,"#,
        r#""description":"Who is greeted","required":true},{"name":"tone","title":null,"#,
        r#""description":"How","required":false}]}],"problems":[]}"#,
    );
    assert!(run.stdout.trim_end().ends_with(list), "{run:?}");
}

#[test]
fn a_prompt_is_filled_in_and_its_messages_are_printed() {
    let home = Home::new();
    let words = ["mcp", "prompt", "demo/greet", "--arg", "name=Ada", "--demo"];
    let run = home.run(&words);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "user: Greet Ada.\n"),
        "{run:?}"
    );
    let run = home.run(&[&words[..], &["--arg", "tone=a=b"]].concat());
    let expected = "user: Greet Ada, in a tone that is a=b.\n";
    assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{run:?}");
    let run = home.run(&[&words[..], &["--json"]].concat());
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&told["server"], &told["name"]),
        (&"demo".into(), &"greet".into())
    );
    let said = &told["result"]["messages"][0]["content"]["text"];
    assert_eq!(said, "Greet Ada.", "{run:?}");
}

#[test]
fn what_cannot_be_filled_in_says_what_is_wrong() {
    let home = Home::new();
    for (name, args, expected) in [
        (
            "demo/greet",
            &[][..],
            "prompt `greet` of server `demo` wants more arguments; give --arg name=…\n",
        ),
        (
            "demo/gret",
            &[],
            "server `demo` has no prompt that it calls `gret`; did you mean `demo/greet`?\n",
        ),
        (
            "demo/nothing_like_it",
            &[],
            "calls `nothing_like_it`; `hermes mcp prompts demo` lists what it has\n",
        ),
        (
            "dmo/greet",
            &[],
            "no server is called `dmo`; did you mean `demo`?\n",
        ),
        (
            "greet",
            &[],
            "`greet` does not say whose prompt it is; write it as SERVER/NAME; `hermes mcp \
             prompts` lists them so\n",
        ),
        (
            "demo/greet",
            &["--arg", "name"],
            "not of the form NAME=VALUE",
        ),
    ] {
        let run = home.run(&[&["mcp", "prompt", name, "--demo"], args].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(expected), "{expected}\n{run:?}");
    }
}
