//! Tabs and their pages: relays, page actions, code.

use super::*;

/// The page actions in a document: what it says to each message; with the event `gone` it goes away.
pub type PageScript = Rc<dyn Fn(&serde_json::Value) -> Vec<serde_json::Value>>;

/// Documents with their page actions.
#[derive(Default)]
pub struct Scripts(RefCell<Vec<(DocumentId, PageScript)>>);

impl std::fmt::Debug for Scripts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scripts").finish_non_exhaustive()
    }
}

impl std::ops::Deref for Scripts {
    type Target = RefCell<Vec<(DocumentId, PageScript)>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl PagePort for FakeBrowser {
    fn open_channel(
        &self,
        _tab: TabId,
        document: &DocumentId,
        script: ContentScript,
    ) -> Result<DocumentChannel, ChannelEnd> {
        match script {
            ContentScript::Actions | ContentScript::Health => self.actions_channel(document),
            ContentScript::Relay => {
                self.0.channels.borrow_mut().push(document.clone());
                Ok(self.relay_channel())
            }
        }
    }

    async fn tabs(&self) -> Vec<TabInfo> {
        self.0.tabs.borrow().values().cloned().collect()
    }

    async fn tab(&self, tab: TabId) -> Option<TabInfo> {
        self.0.asked_for_tabs.set(self.0.asked_for_tabs.get() + 1);
        self.0.tabs.borrow().get(&tab).cloned()
    }

    async fn active_tab(&self, window: WindowId) -> Option<TabInfo> {
        let tab = self.0.active.borrow().get(&window).copied()?;
        self.0.tabs.borrow().get(&tab).cloned()
    }

    fn show_tab(&self, tab: TabId) {
        self.tell(format!("show {}", tab.0));
    }

    async fn put_bridge_into(&self, place: Place) {
        self.tell(format!("bridge into {}", place.document));
    }

    async fn page_texts(&self, _tab: TabId) -> Option<PageTexts> {
        let texts = self.0.texts.borrow().clone();
        match texts {
            Some(texts) => Some(texts),
            None => std::future::pending().await,
        }
    }

    async fn document_at(&self, tool: &PageTool, _at_once: bool) -> Option<(DocumentId, Location)> {
        let next = self.0.next_page.borrow().clone().filter(|(from, _)| *from <= self.now());
        Some(match next {
            Some((_, NewDocument { origin, url, .. })) => ("D2".into(), Location { origin, url }),
            None => (tool.document.clone(), Location { origin: String::new(), url: String::new() }),
        })
    }

    async fn ask_relay(&self, tab: TabId, document: &DocumentId, message: &str) -> Option<String> {
        self.tell(format!("ask {} {document} {message}", tab.0));
        let facts = self.0.facts.borrow().get(document).cloned()?;
        match facts {
            Some(text) => Some(text),
            None => std::future::pending().await,
        }
    }

    async fn new_document(&self, _tab: TabId, _document: DocumentId) -> Option<NewDocument> {
        self.0.next_page.borrow().clone().map(|(_, document)| document)
    }
}

impl ActionPort for FakeBrowser {
    async fn put_actions_into(&self, tab: TabId) -> Result<Vec<(FrameId, DocumentId)>, String> {
        self.0.attached.set(self.0.attached.get() + 1);
        let scripts = self.0.scripts.borrow();
        if scripts.is_empty() {
            return Err(format!("Cannot access tab {}", tab.0));
        }
        Ok(scripts
            .iter()
            .enumerate()
            .map(|(at, (document, _))| (FrameId(at as i32), document.clone()))
            .collect())
    }

    async fn put_file_into(&self, _tab: TabId, document: &DocumentId, file: PageFile) -> Result<(), String> {
        if !self.0.scripts.borrow().iter().any(|(known, _)| known == document) {
            return Err(format!("No document with id {document}"));
        }
        self.0.page_files.borrow_mut().push((document.clone(), file));
        Ok(())
    }

    async fn capture(&self, _window: WindowId, part: [f64; 4], longest_edge: u32) -> Option<NewPicture> {
        self.0.captured.borrow_mut().push(part);
        self.0.edges.borrow_mut().push(longest_edge);
        self.fit_picture("image/png", "iVBORw0KGgo=").await
    }

    async fn fit_picture(&self, media_type: &str, data: &str) -> Option<NewPicture> {
        let new = NewPicture { media_type: PictureType::Png, width: 2, height: 1, data: data.to_owned() };
        (media_type == "image/png" && new.size().is_some()).then_some(new)
    }

    async fn create_tab(&self, url: &str) -> Option<TabInfo> {
        self.tell(format!("open {url}"));
        // A test that wants it to open has put the tab there.
        self.0.tabs.borrow().values().find(|tab| tab.url == url).cloned()
    }

    async fn close_tab(&self, tab: TabId) -> bool {
        self.tell(format!("close {}", tab.0));
        true
    }

    async fn fetch_elsewhere(&self, _: CrossRequest) -> Result<CrossAnswer, RequestFault> {
        Err(RequestFault::Network)
    }

    async fn lead_tab(&self, tab: TabId, to: &str) -> bool {
        self.tell(format!("lead {} to {to}", tab.0));
        true
    }

    async fn code_access(&self) -> CodeAccess {
        self.0.code_access.get()
    }

    async fn run_code(&self, run: &CodeRun) -> Result<Option<String>, CodeFault> {
        if self.0.code_access.get() != CodeAccess::On {
            return Err(CodeFault::Off);
        }
        if !self.0.scripts.borrow().iter().any(|(known, _)| *known == run.document) {
            return Err(CodeFault::Gone);
        }
        self.0.code_runs.borrow_mut().push(run.clone());
        let told = self.0.code_told.borrow_mut().pop_front();
        match told {
            Some(told) => Ok(told),
            None => std::future::pending().await,
        }
    }
}

impl OpenTabs for FakeBrowser {
    async fn has(&self, tab: TabId) -> bool {
        self.0.tabs.borrow().contains_key(&tab)
    }
}

impl TabPort for FakeBrowser {
    fn ask_for_tools(&self, tab: TabId) {
        self.tell(format!("ask {}", tab.0));
    }

    fn write_badge(&self, tab: TabId, text: &str) {
        self.tell(format!("badge {} {text:?}", tab.0));
    }
}

impl FakeBrowser {
    fn actions_channel(&self, document: &DocumentId) -> Result<DocumentChannel, ChannelEnd> {
        let scripts = self.0.scripts.borrow();
        let script =
            scripts.iter().find(|(known, _)| known == document).ok_or(ChannelEnd::NeverHeard)?.1.clone();
        let (messages, heard) = unbounded();
        let send = move |text: &str| {
            let message: serde_json::Value = serde_json::from_str(text).unwrap();
            for said in script(&message) {
                if said["event"] == "gone" {
                    messages.close_channel();
                    return true;
                }
                let _ = messages.unbounded_send(Ok(said.to_string()));
            }
            true
        };
        Ok(DocumentChannel { send: Box::new(send), heard })
    }

    /// A relay that answers each call with the next of the results.
    fn relay_channel(&self) -> DocumentChannel {
        let (messages, heard) = unbounded();
        let this = self.clone();
        let send = move |text: &str| {
            match serde_json::from_str(text).unwrap() {
                RelayCommand::ListTools { .. } | RelayCommand::ListFacts { .. } => {}
                RelayCommand::CallTool { request_id, tool_name, args } => {
                    this.tell(format!("call {tool_name} {args}"));
                    if let Some(result) = this.0.results.borrow_mut().pop_front() {
                        let answer = result.map(|result| {
                            serde_json::to_string(&ToolResult { request_id, ..result }).unwrap()
                        });
                        let _ = messages.unbounded_send(answer);
                    }
                }
                RelayCommand::ShowSkills { tools, .. } => {
                    let names: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
                    this.tell(format!("show skills {}", names.join(" ")));
                }
                RelayCommand::SkillResult { request_id, ok, text } => {
                    this.tell(format!("result of {request_id}: {ok} {text}"));
                }
                RelayCommand::CancelCall { request_id } => this.0.cancelled.borrow_mut().push(request_id),
            }
            true
        };
        DocumentChannel { send: Box::new(send), heard }
    }
}
