/** Backpressure between a WebSocket and other streams: neither side reads more than the other takes. */

/** The part of a WebSocket that is used. */
export interface FlowSocket {
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  send(message: Buffer, done: () => void): void;
  pause(): void;
  resume(): void;
}

/** A source that can be paused. */
export interface FlowSource {
  pause(): unknown;
  resume(): unknown;
}

/** A destination of bytes, such as a writable stream. */
export interface FlowSink {
  write(chunk: Buffer): boolean;
  once(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Bytes in the send buffer at which the source is paused. */
const MAX_WAITING = 1024 * 1024;

/** Sends a message, and pauses its source while the send buffer is full. */
export function sendSlowly(socket: FlowSocket, message: Buffer, source: FlowSource): void {
  socket.send(message, () => {
    if (socket.bufferedAmount < MAX_WAITING) {
      source.resume();
    }
  });
  if (socket.bufferedAmount >= MAX_WAITING) {
    source.pause();
  }
}

/** Writes received bytes to a sink, and pauses the socket while the sink is full. */
export function writeSlowly(socket: FlowSocket, chunk: Buffer, sink: FlowSink): void {
  if (sink.write(chunk) || socket.isPaused) {
    return;
  }
  const resume = () => {
    sink.off('drain', resume);
    sink.off('close', resume);
    socket.resume();
  };
  socket.pause();
  sink.once('drain', resume);
  sink.once('close', resume);
}
