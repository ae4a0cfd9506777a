//! Splits bytes into the chunks that a service sent: server-sent events, and bare JSON objects (NDJSON).
//!
//! Services do not follow the format strictly, so this accepts more than the standard. An object at the
//! beginning of a line is a chunk of its own. That covers an error body in place of a stream, a complete
//! answer although a stream was requested, and one JSON object per line (NDJSON). No field of a server-sent
//! event begins with `{`, so the two cannot be confused.

use memchr::memchr2;

/// Maximum bytes of a line, of an event and of a bare object.
pub(crate) const LINE_LIMIT: usize = 8 * 1024 * 1024;

/// Maximum characters kept of input that is neither an event nor an object, for the error message if there
/// is nothing else.
const STRAY_LIMIT: usize = 200;

/// A chunk of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// Comments or empty lines that end nothing: reported once until the next event or object.
    Alive,
    /// A server-sent event.
    Event {
        /// Its `event:` field; mostly empty.
        name: String,
        /// Its `data:` lines, joined by line feeds.
        data: String,
    },
    /// A JSON object (or what looks like one) outside an event.
    Object(String),
}

/// A line, an event or an object is longer than [`LINE_LIMIT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Splits bytes into chunks. An incomplete chunk waits for the next call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChunkReader {
    /// The incomplete line or object.
    pending: Vec<u8>,
    object: Option<ObjectScan>,
    /// The last line ended with CR: an LF that follows belongs to it.
    after_cr: bool,
    event: String,
    data: Option<String>,
    /// An object ended in this line: the line feed that follows does not make an empty line.
    after_object: bool,
    /// Whether a field was read since the last empty line.
    in_block: bool,
    /// Whether [`Chunk::Alive`] was reported since the last event or object.
    is_alive: bool,
    /// The beginning of unreadable input.
    stray: String,
}

/// Finds the end of a JSON object without parsing it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ObjectScan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl ChunkReader {
    /// Reads bytes and appends the chunks that are now complete.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), TooLong> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            if self.object.is_none() && self.pending.is_empty() {
                match first {
                    // Empty lines that end nothing are skipped at once, so that many of them cost nothing.
                    b'\n' | b'\r' if !self.in_block && !self.after_object => {
                        let end = bytes.iter().position(|byte| !matches!(byte, b'\n' | b'\r'));
                        let (lines, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                        self.after_cr = lines.ends_with(b"\r");
                        self.tell_alive(chunks);
                        bytes = rest;
                        continue;
                    }
                    b'{' => self.object = Some(ObjectScan::default()),
                    // Indentation, bytes of a byte order mark, and the separators of an array of objects,
                    // as Gemini sends unless asked for events. No chunk begins with any of them.
                    b' ' | b'\t' | 0xEF | 0xBB | 0xBF | b'[' | b',' | b']' => {
                        bytes = &bytes[1..];
                        continue;
                    }
                    _ => {}
                }
            }
            bytes = if self.object.is_some() {
                self.feed_object(bytes, chunks)?
            } else {
                self.feed_line(bytes, chunks)?
            };
        }
        Ok(())
    }

    /// The stream has ended: appends what its last, unfinished line and event contain.
    pub(crate) fn end(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), TooLong> {
        if self.object.take().is_some() {
            self.pending.clear();
        } else if !self.pending.is_empty() {
            self.end_line(chunks)?;
        }
        self.dispatch(chunks);
        Ok(())
    }

    /// The beginning of input that was neither an event nor an object, such as an HTML page.
    pub(crate) fn stray(&self) -> &str {
        &self.stray
    }

    fn feed_object<'a>(&mut self, bytes: &'a [u8], chunks: &mut Vec<Chunk>) -> Result<&'a [u8], TooLong> {
        let end = self.object.as_mut().and_then(|scan| scan.find_end(bytes));
        let (piece, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        self.keep(piece)?;
        if end.is_some() {
            self.object = None;
            chunks.push(Chunk::Object(String::from_utf8_lossy(&self.pending).into_owned()));
            self.is_alive = false;
            self.pending.clear();
            self.in_block = true;
            self.after_object = true;
        }
        Ok(rest)
    }

    fn feed_line<'a>(&mut self, bytes: &'a [u8], chunks: &mut Vec<Chunk>) -> Result<&'a [u8], TooLong> {
        match memchr2(b'\n', b'\r', bytes) {
            None => {
                self.keep(bytes)?;
                Ok(&[])
            }
            Some(end) => {
                self.after_cr = bytes[end] == b'\r';
                // Fast path: nearly all lines arrive complete.
                if self.pending.is_empty() && end <= LINE_LIMIT {
                    self.take_whole(&bytes[..end], chunks)?;
                } else {
                    self.keep(&bytes[..end])?;
                    self.end_line(chunks)?;
                }
                Ok(&bytes[end + 1..])
            }
        }
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), TooLong> {
        if self.pending.len() + piece.len() > LINE_LIMIT {
            return Err(TooLong);
        }
        self.pending.extend_from_slice(piece);
        Ok(())
    }

    fn end_line(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), TooLong> {
        let pending = std::mem::take(&mut self.pending);
        self.take_whole(&pending, chunks)?;
        // Reuse the allocation for the next line.
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    fn take_whole(&mut self, line: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), TooLong> {
        let line = String::from_utf8_lossy(line);
        let after_object = std::mem::take(&mut self.after_object);
        if line.is_empty() && after_object {
            // Only the rest of a line.
        } else if line.is_empty() {
            if !std::mem::take(&mut self.in_block) {
                self.tell_alive(chunks);
            }
            self.dispatch(chunks);
        } else {
            self.in_block = true;
            self.take_line(&line, chunks)?;
        }
        Ok(())
    }

    fn take_line(&mut self, line: &str, chunks: &mut Vec<Chunk>) -> Result<(), TooLong> {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => self.tell_alive(chunks),
            // The end of a stream is reported even without the empty line that should follow.
            "data" if value.trim() == "[DONE]" => {
                self.dispatch(chunks);
                chunks.push(Chunk::Event { name: String::new(), data: "[DONE]".to_owned() });
                self.is_alive = false;
            }
            "data" => match &mut self.data {
                None => self.data = Some(value.to_owned()),
                Some(data) if data.len() + value.len() >= LINE_LIMIT => return Err(TooLong),
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
            },
            "event" => self.event = value.to_owned(),
            "id" | "retry" => {}
            // The beginning of a line that the connection cut.
            _ if "data".starts_with(line) || "event".starts_with(line) => {}
            _ if self.stray.is_empty() => self.stray = line.chars().take(STRAY_LIMIT).collect(),
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, chunks: &mut Vec<Chunk>) {
        let name = std::mem::take(&mut self.event);
        if let Some(data) = self.data.take() {
            chunks.push(Chunk::Event { name, data });
            self.is_alive = false;
        }
    }

    fn tell_alive(&mut self, chunks: &mut Vec<Chunk>) {
        if !std::mem::replace(&mut self.is_alive, true) {
            chunks.push(Chunk::Alive);
        }
    }
}

impl ObjectScan {
    /// The index after the object's last brace, if that is in `bytes`.
    fn find_end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, &byte) in bytes.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' => self.depth += 1,
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(bytes: &[u8], size: usize) -> Vec<Chunk> {
        let mut framer = ChunkReader::default();
        let mut chunks = Vec::new();
        for chunk in bytes.chunks(size) {
            framer.feed(chunk, &mut chunks).unwrap();
        }
        framer.end(&mut chunks).unwrap();
        chunks
    }

    /// The chunks of a stream, checked to be the same however it is cut.
    #[track_caller]
    fn read(text: &str) -> Vec<Chunk> {
        let whole = chunks(text.as_bytes(), usize::MAX);
        for size in 1..=4 {
            assert_eq!(chunks(text.as_bytes(), size), whole, "in chunks of {size}");
        }
        whole
    }

    fn data(data: &str) -> Chunk {
        Chunk::Event { name: String::new(), data: data.to_owned() }
    }

    #[test]
    fn lines_end_in_any_of_three_ways() {
        let expected = [data("a\nb"), data("c")];
        assert_eq!(read("data: a\ndata: b\n\ndata: c\n\n"), expected);
        assert_eq!(read("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"), expected);
        assert_eq!(read("data: a\rdata: b\r\rdata: c\r\r"), expected);
    }

    #[test]
    fn space_after_the_colon_may_be_missing_and_only_one_is_taken() {
        assert_eq!(
            read("data:a\n\ndata: b\n\ndata:  c\n\ndata\n\n"),
            [data("a"), data("b"), data(" c"), data("")]
        );
    }

    #[test]
    fn event_has_a_name_and_what_is_unknown_is_ignored() {
        assert_eq!(
            read("event: error\nid: 7\nretry: 10\nfoo: bar\ndata: x\n\nevent: idle\n\ndata: y\n\n"),
            [Chunk::Event { name: "error".to_owned(), data: "x".to_owned() }, data("y")]
        );
    }

    #[test]
    fn comments_and_empty_lines_are_signs_of_life() {
        assert_eq!(read(": keep-alive\n\n: keep-alive\n\n"), [Chunk::Alive]);
        assert_eq!(read("\n\n\ndata: a\n\n\n: b\n"), [Chunk::Alive, data("a"), Chunk::Alive]);
        assert_eq!(read("\r\n\r\n\r\rdata: a\r\n\r\n\n"), [Chunk::Alive, data("a"), Chunk::Alive]);
    }

    #[test]
    fn last_event_needs_no_end() {
        assert_eq!(read("data: a"), [data("a")]);
        assert_eq!(read("data: a\n"), [data("a")]);
        assert_eq!(read("data: a\n\n"), [data("a")]);
    }

    #[test]
    fn end_is_announced_at_once() {
        let mut framer = ChunkReader::default();
        let mut chunks = Vec::new();
        framer.feed(b"data: a\ndata: [DONE]\n", &mut chunks).unwrap();
        assert_eq!(chunks, [data("a"), data("[DONE]")]);
    }

    #[test]
    fn byte_order_mark_and_characters_in_pieces_are_read() {
        assert_eq!(read("\u{feff}data: \u{1f6eb} 北京\n\n"), [data("\u{1f6eb} 北京")]);
        assert_eq!(read("\u{feff}{\"a\":\"é\"}"), [Chunk::Object("{\"a\":\"é\"}".to_owned())]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(chunks(b"data: a\xFFb\n\n", 1), [data("a\u{fffd}b")]);
    }

    #[test]
    fn objects_without_a_frame_are_found() {
        let pretty = "{\n  \"a\": \"}\\\"{\",\r\n\r\n  \"b\": {}\n}";
        assert_eq!(read(&format!("\n {pretty}\n")), [Chunk::Alive, Chunk::Object(pretty.to_owned())]);
        assert_eq!(
            read("{\"a\":1}\n{\"b\":2}\n"),
            [Chunk::Object("{\"a\":1}".to_owned()), Chunk::Object("{\"b\":2}".to_owned())]
        );
        assert_eq!(
            read("data: x\n\n{\"error\":\"y\"}\n\ndata: z\n\n"),
            [data("x"), Chunk::Object("{\"error\":\"y\"}".to_owned()), data("z")]
        );
        assert_eq!(read("{\"cut\":"), []);
        let two = [Chunk::Object("{\"a\":1}".to_owned()), Chunk::Object("{\"b\":2}".to_owned())];
        assert_eq!(read("[{\"a\":1}\n,\r\n{\"b\":2}]"), two);
    }

    #[test]
    fn object_is_given_as_soon_as_it_closes() {
        let mut framer = ChunkReader::default();
        let mut chunks = Vec::new();
        framer.feed(b"{\"error\":{}}", &mut chunks).unwrap();
        assert_eq!(chunks, [Chunk::Object("{\"error\":{}}".to_owned())]);
    }

    #[test]
    fn unreadable_input_is_kept_for_the_error() {
        let mut framer = ChunkReader::default();
        framer.feed(b"<!doctype html>\n<title>Sign in</title>\n", &mut Vec::new()).unwrap();
        assert_eq!(framer.stray(), "<!doctype html>");

        let mut framer = ChunkReader::default();
        framer.feed(b"dat", &mut Vec::new()).unwrap();
        framer.end(&mut Vec::new()).unwrap();
        assert_eq!(framer.stray(), "", "a line that was cut is none of that");
    }

    #[test]
    fn lines_events_and_objects_have_a_limit() {
        let mut framer = ChunkReader::default();
        let mut chunks = Vec::new();
        framer.feed(b"data: ", &mut chunks).unwrap();
        framer.feed(&vec![b'x'; LINE_LIMIT - 6], &mut chunks).unwrap();
        assert_eq!(framer.feed(b"x", &mut chunks), Err(TooLong));

        let mut framer = ChunkReader::default();
        let half = [b"data: ".as_slice(), &vec![b'x'; LINE_LIMIT / 2], b"\n"].concat();
        framer.feed(&half, &mut chunks).unwrap();
        assert_eq!(framer.feed(&half, &mut chunks), Err(TooLong));

        let mut framer = ChunkReader::default();
        framer.feed(b"{", &mut chunks).unwrap();
        assert_eq!(framer.feed(&vec![b' '; LINE_LIMIT], &mut chunks), Err(TooLong));
        assert_eq!(chunks, []);
    }
}
