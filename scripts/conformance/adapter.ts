import { setTimeout as pause } from "node:timers/promises";
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Adapter,
  ClearStateRequestSchema,
  ClearStateResponseSchema,
  type ResourceRequest,
  ResourceRequestSchema,
  ResourceResponseSchema,
  SetStateRequestSchema,
  SetStateResponseSchema,
} from "#gen/adapter/adapter_pb.js";
import type { MethodTables } from "../../src/transport/server/method.ts";
import { scanFields } from "../../src/xds/wire/wire-format.ts";
import type { SnapshotSource } from "../../src/xds.ts";
import { NodeState } from "./node-state.ts";

export interface AdapterOptions {
  readonly source: SnapshotSource;
  /**
   * How long a change of the state is delayed. The public harness unsubscribes on one connection and changes the state
   * on another without waiting. The delay lets the server see both in the intended order.
   */
  readonly holdBackMs: number;
}

/** The contract by which the public xDS test harness sets the resources of a server, on a snapshot source. */
export function adapterMethods({ source, holdBackMs }: AdapterOptions): MethodTables {
  const states = new Map<string, NodeState>();
  const change = async (node: string, edit: (state: NodeState) => void) => {
    const state = states.get(node) ?? new NodeState();
    states.set(node, state);
    await pause(holdBackMs);
    edit(state);
    source.set(node, state.snapshot);
  };
  const changeResource = (edit: (state: NodeState, request: ResourceRequest) => void) =>
    method(ResourceRequestSchema, ResourceResponseSchema, async (request) => {
      await change(request.node, (state) => edit(state, request));
      return { success: true };
    });
  const put = changeResource((state, { typeUrl, resourceName, version }) => state.put(typeUrl, resourceName, version));
  const remove = changeResource((state, { typeUrl, resourceName, version }) =>
    state.remove(typeUrl, resourceName, version),
  );
  const setState = method(SetStateRequestSchema, SetStateResponseSchema, ({ node, version, resources }) => {
    const state = new NodeState();
    for (const { typeUrl, value } of resources) state.put(typeUrl, nameIn(value), version, value);
    states.set(node, state);
    source.set(node, state.snapshot);
    return { success: true };
  });
  const clearState = method(ClearStateRequestSchema, ClearStateResponseSchema, ({ node }) => {
    states.delete(node);
    source.clear(node);
    return { response: `${node} is served nothing` };
  });
  const methods = {
    SetState: setState,
    ClearState: clearState,
    UpdateResource: put,
    AddResource: put,
    RemoveResource: remove,
  };
  return { unary: new Map(Object.entries(methods).map(([name, serve]) => [`/${Adapter.typeName}/${name}`, serve])) };
}

type Init<Desc extends DescMessage> = MessageInitShape<Desc>;

/** A unary method on messages instead of bytes. */
function method<Request extends DescMessage, Response extends DescMessage>(
  request: Request,
  response: Response,
  answer: (request: MessageShape<Request>) => Init<Response> | Promise<Init<Response>>,
): (bytes: Uint8Array) => Promise<Uint8Array> {
  return async (bytes) => toBinary(response, create(response, await answer(fromBinary(request, bytes))));
}

function nameIn(value: Uint8Array): string {
  let name = "";
  scanFields(value, (field, start, end) => {
    if (field === 1) name = Buffer.from(value.subarray(start, end)).toString();
  });
  return name;
}
