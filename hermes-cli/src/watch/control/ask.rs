//! Asks a running `watch`.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::{ANSWER_LEN_MAX, ANSWER_TIME, LINE_TIME, Places, Question, Request};
use crate::exit::Exit;
use crate::failure::Failure;

/// Asks the `watch` of a configuration; `None` if there is none.
///
/// # Errors
///
/// If there is one and it does not answer.
pub(crate) async fn ask(places: &Places, question: Question) -> Result<Option<String>, Failure> {
    for folder in places.folders() {
        // Nothing is there, or what is there was left behind.
        let Ok(stream) = UnixStream::connect(places.socket(folder)).await else {
            continue;
        };
        let asked = timeout(LINE_TIME + ANSWER_TIME, exchange(stream, question)).await;
        let why = match asked {
            Ok(Ok(answer)) if answer.ends_with('\n') => return Ok(Some(answer)),
            Ok(Ok(_cut)) => "its answer is not whole".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_elapsed) => "no answer came in time".to_owned(),
        };
        let message = format!("the running `hermes mcp watch` does not answer: {why}");
        let suggestion = "end it and start it again";
        return Err(Failure {
            exit: Exit::Deadline,
            ..Failure::usage("watch_silent", message, suggestion)
        });
    }
    Ok(None)
}

/// The failure of an answer that says something else than it should.
pub(crate) fn unreadable(error: &serde_json::Error) -> Failure {
    let message =
        format!("the running `hermes mcp watch` answers what nobody understands: {error}");
    let suggestion = "end it and start it again, as it may be of another version";
    Failure::usage("watch_unreadable", message, suggestion)
}

async fn exchange(mut stream: UnixStream, question: Question) -> io::Result<String> {
    let mut line = serde_json::to_string(&Request { request: question })?;
    line.push('\n');
    stream.write_all(line.as_bytes()).await?;
    let mut answer = String::new();
    stream
        .take(ANSWER_LEN_MAX)
        .read_to_string(&mut answer)
        .await?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::super::{CONNECTIONS_MAX, Control, NoControl, REQUEST_LEN_MAX};
    use super::*;

    fn places(home: &Path) -> Places {
        Places::new(&home.join("c.yaml"), Some(home), &|_name| None)
    }

    /// Answers each question with its own name.
    async fn answer(control: &mut Control) {
        while let Some(asked) = control.next().await {
            asked
                .answer
                .send(format!("{:?}\n", asked.question))
                .unwrap();
        }
    }

    #[tokio::test]
    async fn a_question_is_answered_and_without_a_watch_there_is_none() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        assert_eq!(ask(&places, Question::Status).await.unwrap(), None);
        let mut control = Control::open(&places).unwrap();
        for (question, expected) in [
            (Question::Reload, "Reload\n"),
            (Question::Status, "Status\n"),
        ] {
            let told = tokio::select! {
                told = ask(&places, question) => told.unwrap(),
                () = answer(&mut control) => None,
            };
            assert_eq!(told.as_deref(), Some(expected));
        }
        drop(control);
        assert_eq!(ask(&places, Question::Status).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_second_watch_is_refused_and_a_stale_socket_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        let control = Control::open(&places).unwrap();
        let path = control.path().to_owned();
        assert!(matches!(Control::open(&places), Err(NoControl::Taken)));
        drop(control);
        assert!(!path.exists());
        // One that was killed leaves the file behind.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        assert_eq!(ask(&places, Question::Status).await.unwrap(), None);
        let mut control = Control::open(&places).unwrap();
        let told = tokio::select! {
            told = ask(&places, Question::Status) => told.unwrap(),
            () = answer(&mut control) => None,
        };
        assert_eq!(told.as_deref(), Some("Status\n"));
    }

    #[tokio::test]
    async fn a_place_that_cannot_be_used_is_told_with_its_reason() {
        let home = tempfile::tempdir().unwrap();
        let deep = home.path().join("x".repeat(120));
        let Err(NoControl::Unavailable(why)) = Control::open(&places(&deep)) else {
            panic!("no socket has so long a path");
        };
        assert!(why.contains("xxx/run: "), "{why}");
        let nowhere = Places::new(&deep, None, &|_name| None);
        let Err(NoControl::Unavailable(why)) = Control::open(&nowhere) else {
            panic!("there is no place");
        };
        assert_eq!(why, "neither XDG_RUNTIME_DIR nor a home folder is known");
    }

    #[tokio::test]
    async fn a_line_that_is_no_request_is_told_so_and_one_without_end_is_cut() {
        let home = tempfile::tempdir().unwrap();
        let mut control = Control::open(&places(home.path())).unwrap();
        let long = "x".repeat(usize::try_from(REQUEST_LEN_MAX).unwrap());
        for line in ["\n", "{}\n", "{\"request\":\"stop\"}\n", "reload\n", &long] {
            let path = control.path().to_owned();
            let ask = async {
                let mut stream = UnixStream::connect(path).await.unwrap();
                stream.write_all(line.as_bytes()).await.unwrap();
                let mut answer = String::new();
                stream.read_to_string(&mut answer).await.unwrap();
                answer
            };
            let told = tokio::select! {
                told = ask => told,
                () = answer(&mut control) => String::new(),
            };
            assert!(
                told.contains("\"code\":\"bad_request\""),
                "{line:.20} {told}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_says_nothing_is_closed_and_others_wait_for_their_turn() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        let mut control = Control::open(&places).unwrap();
        let mut silent = Vec::new();
        for _ in 0..CONNECTIONS_MAX {
            silent.push(UnixStream::connect(control.path()).await.unwrap());
        }
        let began = tokio::time::Instant::now();
        let told = tokio::select! {
            told = ask(&places, Question::Status) => told.unwrap(),
            () = answer(&mut control) => None,
        };
        assert_eq!(told.as_deref(), Some("Status\n"));
        assert!(began.elapsed() >= LINE_TIME);
        assert!(began.elapsed() < LINE_TIME + Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_does_not_answer_is_told() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        let mut control = Control::open(&places).unwrap();
        let mut asked = Vec::new();
        let hear = async {
            while let Some(one) = control.next().await {
                asked.push(one);
            }
        };
        let failure = tokio::select! {
            told = ask(&places, Question::Reload) => told.unwrap_err(),
            () = hear => panic!("it hears for as long as it is asked"),
        };
        assert_eq!(
            (&*failure.code, failure.exit),
            ("watch_silent", Exit::Deadline)
        );
    }
}
