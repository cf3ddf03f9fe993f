//! A thread that starts the processes of hosts. Linux sends the parent-death signal, which kills a host
//! when we are killed, as soon as the *thread* that started the process ends. A host can be passed from one
//! worker thread to another and outlive the first, so all of them are started by this thread, which exists
//! as long as the runner does.

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

    /// Runs `job` on the thread and returns its result.
    pub(super) fn perform<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let (reply, answer) = bounded(1);
        let job: Job = Box::new(move || {
            // The receiver waits below.
            let _ = reply.send(job());
        });
        let gone = |_| io::Error::other("the thread that starts hosts has ended");
        self.jobs.send(job).map_err(|_| gone(()))?;
        answer.recv().map_err(|_| gone(()))
    }
}
