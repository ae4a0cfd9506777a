//! What a model's server is asked before the model.

use futures::future::{Either, select};
use futures::pin_mut;
use sidecar_llm::prompted;
use sidecar_protocol::settings::ToolForm;

use super::TurnUpdate;
use crate::call::User;
use crate::connection::Connection;
use crate::ports::{Clock, LlmTransport, Ports};

/// Longest wait for the server, in milliseconds: it is asked once, and the answer is not needed.
const FACTS_LIMIT_MS: u64 = 2_000;

/// The connection, completed by what the model's server says, if that was unknown. The server answers at
/// once or not at all.
pub(super) async fn learn<T: LlmTransport, H, S, C: Clock>(
    connection: &Connection,
    ports: &Ports<T, H, S, C>,
    user: &mut User<'_>,
    tell: &mut dyn FnMut(TurnUpdate<'_>),
) -> Connection {
    let mut connection = connection.clone();
    let form = connection.endpoint.form(&connection.leave_out);
    if connection.takes_tools.is_none() && form == ToolForm::Native {
        let asked = ports.transport.abilities(&connection.endpoint, &connection.model);
        let timer = ports.clock.sleep(FACTS_LIMIT_MS);
        pin_mut!(asked, timer);
        if let Some(Either::Left((abilities, _))) = user.unless_stopped(select(asked, timer)).await {
            tell(TurnUpdate::Learnt(abilities));
            connection.sees = connection.sees.or(abilities.sees);
            if abilities.takes_tools == Some(false) {
                connection.leave_out.push(prompted::TOOLS.to_owned());
            }
        }
    }
    connection
}
