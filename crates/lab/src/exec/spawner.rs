//! A thread that starts hosts. The kernel's parent-death signal, which makes a host die when we are
//! killed, is sent when the *thread* that started it ends. A host may be handed from one worker to
//! another and outlive the first, so that all hosts are started by this one thread, which lives as
//! long as the runner that every host holds on to.

use std::io;
use std::thread;

use crossbeam_channel::{Sender, bounded, unbounded};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Debug, Clone)]
pub(super) struct Spawner {
    jobs: Sender<Job>,
}

impl Spawner {
    /// Starts the thread. It ends when the last clone of this is dropped.
    pub(super) fn new() -> io::Result<Spawner> {
        let (jobs, inbox) = unbounded::<Job>();
        thread::Builder::new().name("spawner".to_owned()).spawn(move || {
            for job in inbox {
                job();
            }
        })?;
        Ok(Spawner { jobs })
    }

    /// Does `job` on the thread.
    pub(super) fn perform<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let (reply, answer) = bounded(1);
        let job: Job = Box::new(move || {
            // Whoever asked waits below.
            let _ = reply.send(job());
        });
        let gone = |_| io::Error::other("the thread that starts hosts is gone");
        self.jobs.send(job).map_err(|_| gone(()))?;
        answer.recv().map_err(|_| gone(()))
    }
}
