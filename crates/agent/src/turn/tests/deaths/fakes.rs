//! The fakes around a worker that may die.

use super::*;

/// The service. Its answer depends on the request alone, like a model's.
pub(super) struct Model {
    pub(super) says: Vec<Says>,
    pub(super) refused: Rc<RefCell<BTreeSet<usize>>>,
    pub(super) fate: Rc<Fate>,
    pub(super) keys: Keys,
}

impl LlmTransport for Model {
    type Body = LocalBoxStream<'static, Result<Vec<u8>, String>>;

    fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn abilities(&self, _endpoint: &Endpoint, _model: &str) -> ModelAbilities {
        ModelAbilities::default()
    }

    async fn post(&self, request: HttpRequest) -> Result<Response<Self::Body>, ModelError> {
        self.fate.moment(DeathPlace::Model).await;
        let request: Value = serde_json::from_str(&request.body).unwrap();
        let messages = request["messages"].as_array().unwrap();
        let answered = messages.iter().filter(|message| message["role"] == "assistant").count();
        let mut refused = self.refused.borrow_mut();
        let mut turns = self.says.iter().enumerate().filter_map(|(at, says)| match says {
            Says::Calls(tools) => Some((at, Some(tools))),
            Says::Busy if refused.contains(&at) => None,
            Says::Busy => Some((at, None)),
        });
        let (status, body) = match turns.nth(answered) {
            Some((at, None)) => {
                refused.insert(at);
                (429, r#"{"error":{"message":"slow down"}}"#.to_owned())
            }
            said => {
                let tools = said.and_then(|(_, tools)| tools.cloned()).unwrap_or_default();
                // No call equals the one before it.
                let calls: Vec<(String, &str, String)> = tools
                    .iter()
                    .enumerate()
                    .map(|(n, tool)| {
                        (format!("c{answered}.{n}"), *tool, format!(r#"{{"seats":{answered}{n}}}"#))
                    })
                    .collect();
                let calls: Vec<(&str, &str, &str)> = calls
                    .iter()
                    .map(|(id, tool, arguments)| (id.as_str(), *tool, arguments.as_str()))
                    .collect();
                let ScriptedReply::Body(status, _, body) = ScriptedReply::stream("Hm.", "Said.", &calls)
                else {
                    unreachable!("a stream is a body")
                };
                (status, body)
            }
        };
        // In three pieces, between which the worker may die.
        let third = body.len() / 3;
        let pieces = [&body[..third], &body[third..2 * third], &body[2 * third..]];
        let pieces: Vec<Vec<u8>> = pieces.map(|piece| piece.as_bytes().to_vec()).into();
        let fate = self.fate.clone();
        let body = stream::iter(pieces).then(move |piece| {
            let fate = fate.clone();
            async move {
                fate.moment(DeathPlace::Model).await;
                Ok(piece)
            }
        });
        Ok(Response { status, headers: Vec::new(), body: body.boxed_local() })
    }
}

/// The page. `list` and `read` are read-only, `broken` fails, the others act; of `steps` it is known until when it has not.
pub(super) struct Tools {
    pub(super) ran: Rc<RefCell<BTreeMap<(CallId, String), u32>>>,
    /// Calls of `steps` that began and have done nothing.
    pub(super) idle: Rc<RefCell<BTreeSet<CallId>>>,
    pub(super) fate: Rc<Fate>,
}

impl ToolHost for Tools {
    async fn offer(&self) -> Vec<Offer> {
        let offer = |(name, risk): (&str, Risk)| Offer {
            skill: None,
            model_name: name.to_owned(),
            tool: tool_id(name),
            site: "flights.example".to_owned(),
            origin: "https://flights.example".to_owned(),
            risk,
            fingerprint: Fingerprint("as offered".to_owned()),
            description: format!("Does {name}."),
            schema: None,
        };
        let tools = [
            ("book", Risk::Acting),
            ("pay", Risk::Consequential),
            ("list", Risk::ReadOnly),
            ("read", Risk::ReadOnly),
            ("broken", Risk::Acting),
            ("steps", Risk::Acting),
        ];
        tools.map(offer).into()
    }

    async fn in_tab(&self, offer: &Offer, _tab: TabId) -> Result<Offer, String> {
        Ok(offer.clone())
    }

    async fn current_tool(&self, _tool: &ToolRef) -> Result<CurrentTool, ToolFailure> {
        let fingerprint = Fingerprint("as offered".to_owned());
        Ok(CurrentTool {
            fingerprint,
            risk: Risk::ReadOnly,
            schema: None,
            policy: None,
            changes: None,
            page: None,
        })
    }

    async fn is_switched_off(&self, _target: &crate::log::Target) -> bool {
        false
    }

    async fn mistake(&self, _schema: &str, _arguments: &str) -> Option<Mistake> {
        None
    }

    async fn has_done_nothing(&self, call: &CallId) -> bool {
        self.idle.borrow().contains(call)
    }

    fn nfkc(&self, text: &str) -> String {
        text.to_owned()
    }

    async fn call(&self, call: &CallId, tool: &ToolRef, _arguments: &str) -> ToolOutcome {
        if tool.name() == "steps" {
            self.idle.borrow_mut().insert(call.clone());
        }
        self.fate.moment(DeathPlace::Page).await;
        self.idle.borrow_mut().remove(call);
        *self.ran.borrow_mut().entry((call.clone(), tool.name().to_owned())).or_default() += 1;
        self.fate.moment(DeathPlace::Page).await;
        match tool.name() {
            "broken" => ToolOutcome::Failed { code: ToolFailure::Unreachable, message: "no".to_owned() },
            _ => ToolOutcome::ok("done"),
        }
    }

    async fn seen(&self, _tool: &ToolRef) -> Seen {
        Seen::default()
    }

    async fn new_page(&self, _tool: &ToolRef) -> ToolOutcome {
        unreachable!("none of these tools takes its page away")
    }
}

/// The disk: entries stay, and each position is written once.
pub(super) struct SharedDisk {
    pub(super) log: Rc<RefCell<Vec<Entry>>>,
    /// The log in the worker's memory.
    pub(super) memory: RefCell<Rc<Vec<Entry>>>,
    pub(super) draft: Rc<RefCell<Option<(usize, String, String)>>>,
    pub(super) fate: Rc<Fate>,
}

impl Store for SharedDisk {
    fn log(&self) -> Rc<Vec<Entry>> {
        self.memory.borrow().clone()
    }

    async fn append(&self, entry: Entry) -> Result<(), StoreError> {
        self.fate.moment(DeathPlace::Disk).await;
        if self.memory.borrow().len() != self.log.borrow().len() {
            return Err(StoreError::other("ConstraintError"));
        }
        self.log.borrow_mut().push(entry.clone());
        self.fate.moment(DeathPlace::Disk).await;
        Rc::make_mut(&mut self.memory.borrow_mut()).push(entry);
        Ok(())
    }

    async fn save_draft(&self, reasoning: &str, text: &str) {
        let position = self.log.borrow().len();
        *self.draft.borrow_mut() = Some((position, reasoning.to_owned(), text.to_owned()));
    }

    async fn picture(&self, _digest: &str) -> Option<String> {
        None
    }
}
