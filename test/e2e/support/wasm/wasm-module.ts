/*
 * Assembles small Wasm modules that follow the proxy-wasm ABI 0.2.1. Each handles one event with one call of the host,
 * and has its texts in a data segment.
 */

/** A number type of Wasm; the ABI uses no other. */
const i32 = 0x7f;

const op = { call: 0x10, drop: 0x1a, constant: 0x41, end: 0x0b } as const;

interface Signature {
  readonly params: number;
  readonly results: 0 | 1;
}

/** A function that the proxy offers to modules. */
interface HostCall {
  readonly name: string;
  readonly args: readonly Arg[];
}

/** A number, or a text, which is passed as an address and a length. */
type Arg = number | string;

/** A function that the proxy calls. */
interface Handler extends Signature {
  readonly name: string;
  readonly calls?: HostCall;
  readonly returns?: number;
}

const proceed = 0;
const stop = 1;
const requestHeaders = 0;
const downstream = 2;
const noGrpcStatus = -1;

/** Adds a header to every request. */
export function headerModule(name: string, value: string): Uint8Array {
  const calls = { name: "proxy_add_header_map_value", args: [requestHeaders, name, value] };
  return assemble({ name: "proxy_on_request_headers", params: 3, results: 1, calls, returns: proceed });
}

/** Answers every request itself, with this status and body. */
export function answerModule(status: number, body: string): Uint8Array {
  const calls = { name: "proxy_send_local_response", args: [status, "", body, "", noGrpcStatus] };
  return assemble({ name: "proxy_on_request_headers", params: 3, results: 1, calls, returns: stop });
}

/** Closes every connection. */
export function closingModule(): Uint8Array {
  const calls = { name: "proxy_close_stream", args: [downstream] };
  return assemble({ name: "proxy_on_new_connection", params: 1, results: 1, calls, returns: stop });
}

const dataStart = 1024;
const heapStart = 8192;

function assemble(handler: Handler): Uint8Array {
  const { calls } = handler;
  const data = new DataSegment();
  const passed = (calls?.args ?? []).flatMap((arg) => (typeof arg === "number" ? [arg] : data.place(arg)));
  const handlers: readonly Handler[] = [
    { name: "proxy_abi_version_0_2_1", params: 0, results: 0 },
    { name: "malloc", params: 1, results: 1, returns: heapStart },
    { name: "proxy_on_context_create", params: 2, results: 0 },
    handler,
  ];
  const imported = calls === undefined ? [] : [{ name: calls.name, params: passed.length, results: 1 } as const];
  const functions = [...imported, ...handlers];
  return Uint8Array.from([
    ...Buffer.from("\0asm\x01\0\0\0"),
    ...section(1, functions.map(signature)),
    ...section(
      2,
      imported.map(({ name }, index) => [...text("env"), ...text(name), 0x00, ...unsigned(index)]),
    ),
    ...section(
      3,
      handlers.map((_, index) => unsigned(imported.length + index)),
    ),
    ...section(5, [[0x00, 0x01]]),
    ...section(7, [
      [...text("memory"), 0x02, 0x00],
      ...handlers.map(({ name }, index) => [...text(name), 0x00, ...unsigned(imported.length + index)]),
    ]),
    ...section(
      10,
      handlers.map((each) => body(each, passed)),
    ),
    ...section(11, [[0x00, ...constant(dataStart), op.end, ...vector(data.bytes.map((byte) => [byte]))]]),
  ]);
}

/** The texts of a module, one behind the other. */
class DataSegment {
  readonly bytes: number[] = [];

  /** The address and the length of the text. */
  place(value: string): readonly [number, number] {
    const bytes = Buffer.from(value);
    const address = dataStart + this.bytes.length;
    for (const byte of bytes) this.bytes.push(byte);
    return [address, bytes.length];
  }
}

function signature({ params, results }: Signature): readonly number[] {
  return [0x60, ...numbers(params), ...numbers(results)];
}

function numbers(count: number): readonly number[] {
  return vector(Array.from({ length: count }, () => [i32]));
}

/** The imported function, if any, has the index 0. */
function body({ calls, returns }: Handler, passed: readonly number[]): readonly number[] {
  const called = calls === undefined ? [] : [...passed.flatMap(constant), op.call, 0x00, op.drop];
  const code = [0x00, ...called, ...(returns === undefined ? [] : constant(returns)), op.end];
  return [...unsigned(code.length), ...code];
}

function constant(value: number): readonly number[] {
  return [op.constant, ...signed(value)];
}

function section(id: number, items: readonly (readonly number[])[]): readonly number[] {
  const content = vector(items);
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): readonly number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): readonly number[] {
  return vector(Array.from(Buffer.from(value), (byte) => [byte]));
}

/** LEB128. */
function unsigned(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): readonly number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
