/** A queue of tasks, each run in a task of the event loop. */

import { channelPort1, channelPort2, listen, NativeMessageChannel, postText, startPort } from './captured.js';

/** @typedef {{ run: () => void, next: Task | null }} Task */
/** @type {Task | null} */
let firstTask = null;
/** @type {Task | null} */
let lastTask = null;
/** @type {MessagePort | null} */
let bell = null;

/** Post a message for one task. Message tasks are neither throttled in background tabs nor, as timers are, clamped. */
function ring() {
  if (bell === null) {
    const channel = new NativeMessageChannel();
    const ear = channelPort2(channel);
    bell = channelPort1(channel);
    listen(ear, 'message', () => {
      const { run } = firstTask;
      firstTask = firstTask.next;
      if (firstTask === null) lastTask = null;
      run();
    });
    startPort(ear);
  }
  postText(bell, null);
}

/** Run in a task of its own, after those in the queue. */
export function later(run) {
  const task = { __proto__: null, run, next: null };
  if (lastTask === null) firstTask = task;
  else lastTask.next = task;
  lastTask = task;
  ring();
}

/** Run in a task of its own, before those in the queue. */
export function nextTask(run) {
  firstTask = { __proto__: null, run, next: firstTask };
  lastTask ??= firstTask;
  ring();
}
