/** How much the messages of the page may carry, in characters (`TOOLS`: tools), as in `sidecar_protocol::page::caps`. */

export const TOOLS = 1000;
export const LIST = 8388608;
export const DESCRIPTION = 16384;
export const TITLE = 1024;
export const SCHEMA = 262144;
export const ARGUMENTS = 4194304;
export const RESULT = 4194304;
export const ERROR = 4096;
export const ADDRESS = 2048;
