//! Programs that read and write JSON: one request a line on standard input, one reply a line on standard output, with
//! the bodies of bots over HTTP.

use super::driver::{Answer, Conversation, Question};
use super::process::{Deadline, Process};

pub(super) struct JsonLines {
    command: Vec<String>,
    process: Option<Process>,
}

impl JsonLines {
    pub(super) fn new(command: &[String]) -> Self {
        Self { command: command.into(), process: None }
    }

    fn reply(&mut self, request: &str, deadline: Deadline<'_>) -> Result<String, String> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.command)?),
        };
        process.write(request, deadline)?;
        process.line(deadline)
    }
}

impl Conversation for JsonLines {
    fn answer(&mut self, question: Question, deadline: Deadline<'_>) -> Answer {
        let Question::Json(request) = question else { unreachable!("a question of this protocol") };
        match self.reply(&request, deadline) {
            Ok(line) => Answer::Move(line),
            Err(reason) => {
                // A late reply would be taken for the next one.
                self.process = None;
                Answer::Silent(reason)
            }
        }
    }

    fn end(&mut self) {
        if let Some(process) = self.process.take() {
            process.part("");
        }
    }
}
