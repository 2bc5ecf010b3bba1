//! The one task of a registry: it connects, checks, closes and follows servers as their lives ask
//! for, and is the only one that waits for their times.
//!
//! It holds the registry only while it does something, so that dropping the registry ends it, and
//! with it all servers.

use std::sync::{Arc, Weak};
use std::time::Instant;

use mcp_client::{Client, Era};
use mcp_types::method;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout_at};

use super::follow::follow;
use super::inner::{Inner, Setup};
use super::memory::Memory;
use super::slot::{Server, Todo};
use super::slots::SlotId;
use crate::frames::FrameLog;
use crate::life::{CallEnd, CheckId, Epoch, Fault, FaultKind};
use crate::open::{self, Connected, Host};

/// What has come of something that was begun.
pub(super) enum Done {
    Checked {
        server: SlotId,
        epoch: Epoch,
        check: CheckId,
        health: Result<(), Fault>,
    },
    Closed {
        server: SlotId,
        epoch: Epoch,
    },
    Connected {
        server: SlotId,
        epoch: Epoch,
        connected: Box<Connected>,
    },
    Ended {
        server: SlotId,
        epoch: Epoch,
        fault: Fault,
    },
    /// Nobody is left whose frames could be written.
    Logged,
    /// What is remembered was saved, or could not be.
    Saved,
}

/// Keeps the servers of a registry until it is closed or dropped.
pub(super) async fn keep(
    inner: Weak<Inner>,
    wake: Arc<Notify>,
    mut closing: watch::Receiver<bool>,
    frame_log: Option<Arc<FrameLog>>,
) {
    // Bound: for each server one attempt, one check, one closing and one connection followed; and
    // one saving, and one that writes frames.
    let mut tasks = JoinSet::new();
    if let Some(log) = frame_log {
        tasks.spawn(async move {
            log.follow().await;
            Done::Logged
        });
    }
    loop {
        let due = match inner.upgrade() {
            Some(inner) => {
                let turn = inner.turn();
                for (server, todo) in turn.todo {
                    begin(&inner, &mut tasks, server, todo);
                }
                if let Some(save) = turn.save {
                    tasks.spawn_blocking(|| {
                        save.run();
                        Done::Saved
                    });
                }
                turn.due
            }
            None => break,
        };
        // Cancel safety: each branch may be dropped without losing anything.
        tokio::select! {
            biased;
            Some(done) = tasks.join_next() => {
                // What has ended meanwhile is taken in one turn, and published once.
                let rest = std::iter::from_fn(|| tasks.try_join_next());
                let done: Vec<Done> = std::iter::once(done).chain(rest).flatten().collect();
                if let Some(inner) = inner.upgrade() {
                    done.into_iter().for_each(|done| inner.take(done));
                }
            }
            () = wake.notified() => {}
            () = due_at(due) => {}
            over = closing.wait_for(|is_over| *is_over) => {
                let _over: Result<watch::Ref<'_, bool>, watch::error::RecvError> = over;
                break;
            }
        }
    }
    tasks.shutdown().await;
}

async fn due_at(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

fn begin(inner: &Arc<Inner>, tasks: &mut JoinSet<Done>, server: SlotId, todo: Todo) {
    match todo {
        Todo::Check {
            epoch,
            check,
            until,
        } => {
            let Some(client) = inner.client(server, epoch) else {
                return;
            };
            tasks.spawn(async move {
                Done::Checked {
                    server,
                    epoch,
                    check,
                    health: health(&client, until).await,
                }
            });
        }
        Todo::Close { epoch, client } => {
            tasks.spawn(async move {
                client.close().await;
                Done::Closed { server, epoch }
            });
        }
        Todo::Connect { epoch, given_up } => {
            let Some(configured) = inner.with(server, |slot| Arc::clone(slot.server())) else {
                return;
            };
            let (setup, pins) = (Arc::clone(inner.setup()), inner.pins());
            tasks.spawn(async move {
                let mut connected = Box::new(connect(&setup, &configured, given_up).await);
                if let Ok((_, _, told)) = &mut *connected {
                    Memory::compare(pins.as_deref(), &configured.config, told);
                }
                Done::Connected {
                    server,
                    epoch,
                    connected,
                }
            });
        }
        Todo::Follow {
            epoch,
            client,
            changes,
        } => {
            let inner = Arc::downgrade(inner);
            tasks.spawn(async move {
                // The list is followed for as long as the connection lasts.
                tokio::select! {
                    () = client.ended() => {}
                    () = follow(&inner, server, epoch, changes) => client.ended().await,
                }
                let reason = client.closed();
                let reason = reason.unwrap_or_else(|| "the connection ended".to_owned());
                let fault = Fault::new(FaultKind::Transient, reason);
                Done::Ended {
                    server,
                    epoch,
                    fault,
                }
            });
        }
    }
}

async fn connect(setup: &Setup, server: &Server, given_up: watch::Receiver<bool>) -> Connected {
    let Server {
        config, redactor, ..
    } = server;
    let host = Host {
        connector: &*setup.connector,
        client: &setup.client,
        teller: &setup.teller,
        trace: setup.trace.as_ref(),
        frame_log: setup.frame_log.as_deref(),
    };
    open::open(host, config, redactor, given_up).await
}

/// Asks a server for a sign of life. An answer that is an error is one.
async fn health(client: &Client, until: Instant) -> Result<(), Fault> {
    let asked = async {
        match client.session().era {
            Era::Legacy => client.ping().await.map(|_answer| ()),
            // There is no ping in this era, and nothing else that every server answers.
            _ => {
                let asked = client.call_raw(method::SERVER_DISCOVER, None);
                asked.await.map(|_answer| ())
            }
        }
    };
    match timeout_at(until.into(), asked).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => match CallEnd::of(&error) {
            CallEnd::Answered => Ok(()),
            CallEnd::Unauthorized(fault) => Err(fault),
            _ => Err(Fault::new(FaultKind::Transient, error.to_string())),
        },
        Err(_elapsed) => {
            let text = "it gave no sign of life in time";
            Err(Fault::new(FaultKind::Transient, text))
        }
    }
}
