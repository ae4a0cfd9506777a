//! Runs other programs: starts them, watches them, and explains their failures.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::say;

/// How often a long, silent program is reported to be running.
const TICK: Duration = Duration::from_secs(10);

/// How many of the last output lines are shown after a silent program's failure.
const LAST_LINES: usize = 20;

/// Run a program that prints to the terminal itself.
pub fn shown(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command))?;
    if status.success() { Ok(()) } else { Err(failed(command, status)) }
}

/// Run a short program and return its standard output, trimmed.
pub fn captured(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(command, output.status).context(said.trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Run a program, print its standard output line by line, and pass each line to `watch`.
pub fn echoed(command: &mut Command, mut watch: impl FnMut(&str)) -> Result<ExitStatus> {
    watched(command, |line| {
        println!("{line}");
        watch(line);
    })
}

/// Run a program and pass each line of its standard output to `watch`.
pub fn watched(command: &mut Command, watch: impl FnMut(&str)) -> Result<ExitStatus> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| cannot_start(command))?;
    let stdout = child.stdout.take().context("the program's output was asked for")?;
    each_line(stdout, watch)?;
    Ok(child.wait()?)
}

/// Run a program and pass each line of its standard error output to `watch`.
pub fn watched_errors(command: &mut Command, watch: impl FnMut(&str)) -> Result<ExitStatus> {
    let mut child = command.stderr(Stdio::piped()).spawn().with_context(|| cannot_start(command))?;
    let stderr = child.stderr.take().context("the program's errors were asked for")?;
    each_line(stderr, watch)?;
    Ok(child.wait()?)
}

fn each_line(output: impl Read, mut watch: impl FnMut(&str)) -> Result<()> {
    for line in BufReader::new(output).lines() {
        watch(&line?);
    }
    Ok(())
}

/// Run a long program without output: the user sees every few seconds that it is running, and its last
/// lines only if it fails. It is stopped after `limit`.
pub fn quietly(what: &str, command: &mut Command, limit: Duration) -> Result<()> {
    say::note(format_args!("{what} …"));
    let (mut output, input) = std::io::pipe()?;
    command.stdin(Stdio::null()).stdout(input.try_clone()?).stderr(input);
    let mut child = command.spawn().with_context(|| cannot_start(command))?;
    // The command holds the writing end of the pipe, and would keep the reader waiting for ever.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // Output that cannot be read is not shown; the exit status still counts.
        let _ = output.read_to_end(&mut text);
        let _ = sender.send(text);
    });

    let started = Instant::now();
    let text = loop {
        match lines.recv_timeout(TICK.min(limit.saturating_sub(started.elapsed()))) {
            Ok(text) => break text,
            Err(RecvTimeoutError::Disconnected) => break Vec::new(),
            Err(RecvTimeoutError::Timeout) if started.elapsed() >= limit => {
                child.kill()?;
                child.wait()?;
                bail!("`{}` did not end within {} and was stopped", line_of(command), say::seconds(limit));
            }
            Err(RecvTimeoutError::Timeout) => {
                say::note(format_args!("{what} … {} so far", say::seconds(started.elapsed())));
            }
        }
    };
    let status = child.wait()?;
    if status.success() {
        return Ok(());
    }
    Err(anyhow!("{}\nIts last words:\n{}", failed(command, status), last_lines(&text)))
}

/// The path of a program on PATH.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}

/// The command as one would type it, without quoting.
pub fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", line_of(command))
}

fn failed(command: &Command, status: ExitStatus) -> anyhow::Error {
    anyhow!("`{}` failed ({status})", line_of(command))
}

fn last_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    // A progress bar rewrites its line with carriage returns; only its final state is shown.
    let lines: Vec<_> =
        text.lines().map(|line| format!("    {}", line.rsplit('\r').next().unwrap_or(line))).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn failure_carries_the_last_words() {
        let error =
            quietly("failing", &mut shell("echo reason >&2; exit 3"), Duration::from_secs(10)).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("exit status: 3") && text.contains("    reason"), "{text}");
    }

    #[test]
    fn program_that_hangs_is_stopped() {
        let error = quietly("hanging", &mut shell("exec sleep 60"), Duration::from_millis(100)).unwrap_err();
        assert!(error.to_string().contains("did not end within"), "{error}");
    }

    #[test]
    fn lines_are_seen_while_they_are_repeated() {
        let mut seen = Vec::new();
        let status =
            echoed(&mut shell("echo one; echo two; exit 4"), |line| seen.push(line.to_owned())).unwrap();
        assert_eq!((seen, status.code()), (vec!["one".to_owned(), "two".to_owned()], Some(4)));
    }

    #[test]
    fn captured_output_is_trimmed() {
        assert_eq!(captured(&mut shell("echo ' text '")).unwrap(), "text");
    }
}
