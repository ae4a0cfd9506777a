/** The version of the messages of the page, as `sidecar_protocol::PROTOCOL_VERSION`. */
export const VERSION = 1;
