import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { OriginalDstSchema } from "#gen/envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.js";
import { hostAndPort } from "../../pilot/networking/address.ts";
import { type EnvoyConfig, patchNotes, resourceOwners } from "../envoy-config.ts";
import { chosen, type PassedOver, refused, type StageResult } from "../explanation.ts";
import { requestHostname, type SimulatedRequest } from "../simulated-request.ts";
import { isAnyAddress } from "../socket-address.ts";
import { isApiListener } from "./api-listener.ts";
import { hasListenerFilter } from "./has-listener-filter.ts";
import { type ListenerSocket, socketsOn } from "./listener-sockets.ts";
import { resolveAddress } from "./resolve-address.ts";

/** A connection at the listener that serves it. */
export interface Arrival {
  readonly listener: Listener;
  /** The dialled address, if known. */
  readonly address: string | undefined;
  /**
   * Whether the connection was intercepted and its original destination restored, so that it can be forwarded there.
   */
  readonly intercepted: boolean;
}

/**
 * Chooses the listener of a connection. With interception, the capturing listener hands the connection to the listener
 * with the dialled address, bound or not. Without interception, only a bound listener is reachable.
 */
export function chooseListener(config: EnvoyConfig, request: SimulatedRequest): StageResult<Arrival> {
  if (request.direction === "inbound") return chooseInbound(config, request);
  if (config.listeners.some(isApiListener)) return chooseByName(config, request);
  const interceptor = config.listeners.find(({ useOriginalDst }) => useOriginalDst === true);
  if (interceptor === undefined || request.direction === "gateway") {
    return chooseBound(config, request, (listener) => !isInbound(listener));
  }
  return handOver(config, request, interceptor);
}

/**
 * A gRPC client has no sockets: it requests the listener with the name that the program dials. A short name gets the
 * listener of the full name, under the short name.
 */
function chooseByName(config: EnvoyConfig, request: SimulatedRequest): StageResult<Arrival> {
  const hostname = requestHostname(request);
  const name = hostAndPort(hostname, request.port);
  const named = config.listeners.filter(isApiListener);
  const listener =
    named.find((candidate) => candidate.name === name) ??
    named.find((candidate) => candidate.name.startsWith(`${hostname}.`) && candidate.name.endsWith(`:${request.port}`));
  if (listener === undefined) return refused(`there is no listener ${name}`);
  const arrival = { listener, address: request.address, intercepted: false };
  return arrivalAt(config, arrival, { why: "a gRPC client asks for it by the name it dials" });
}

/** A listener bound on the port gets its connections directly. All other connections reach the capturing listener. */
function chooseInbound(config: EnvoyConfig, request: SimulatedRequest): StageResult<Arrival> {
  const captor = config.listeners.find((listener) => isInbound(listener) && restoresDestination(listener));
  const bound = chooseBound(config, request, (listener) => isInbound(listener) && listener !== captor);
  if (bound.type === "chosen" || captor === undefined) return bound;
  const why = "it captures all inbound connections";
  return arrivalAt(config, { listener: captor, address: request.address, intercepted: true }, { why });
}

function handOver(config: EnvoyConfig, request: SimulatedRequest, interceptor: Listener): StageResult<Arrival> {
  const hostname = requestHostname(request);
  const address = request.address ?? resolveAddress(config, request);
  const sockets = socketsOn(config.listeners, request.port);
  const found =
    sockets.find((socket) => socket.address === address) ?? sockets.find((socket) => isAnyAddress(socket.address));
  if (found === undefined || found.listener === interceptor) {
    const why = `it intercepts everything, and no listener is for ${hostAndPort(address ?? hostname, request.port)}`;
    return arrivalAt(config, { listener: interceptor, address, intercepted: true }, { why });
  }
  const isGuess = request.address === undefined && address !== undefined && address !== hostname;
  const notes = [
    `${interceptor.name} intercepts the connection and hands it to this listener`,
    ...(isGuess ? [`${hostname} is assumed to be ${address}, because a listener there routes to it`] : []),
  ];
  return arrivalAt(config, { listener: found.listener, address, intercepted: true }, { why: reasonFor(found), notes });
}

function chooseBound(
  config: EnvoyConfig,
  request: SimulatedRequest,
  accepts: (listener: Listener) => boolean,
): StageResult<Arrival> {
  const candidates = config.listeners.filter((listener) => listener.bindToPort !== false && accepts(listener));
  const sockets = socketsOn(candidates, request.port);
  const found =
    sockets.find((socket) => socket.address === request.address) ??
    sockets.find((socket) => isAnyAddress(socket.address)) ??
    (request.address === undefined ? sockets[0] : undefined);
  const passedOver = sockets.filter((socket) => socket !== found).map(otherAddress);
  if (found === undefined) return refused(`no listener on ${placeOf(request)}`, { passedOver });
  const { listener } = found;
  const own = isAnyAddress(found.address) ? undefined : found.address;
  const arrival = { listener, address: request.address ?? own, intercepted: restoresDestination(listener) };
  const notes =
    own === undefined || own === request.address ? [] : [`clients have to dial ${hostAndPort(own, found.port)}`];
  return arrivalAt(config, arrival, { why: reasonFor(found), notes, passedOver });
}

function arrivalAt(
  config: EnvoyConfig,
  arrival: Arrival,
  step: { readonly why: string; readonly notes?: readonly string[]; readonly passedOver?: readonly PassedOver[] },
): StageResult<Arrival> {
  const { name } = arrival.listener;
  const notes = [...(step.notes ?? []), ...patchNotes(config, "listener", name)];
  return chosen(arrival, { type: "listener", name, owners: resourceOwners(config, "listener", name), ...step, notes });
}

function reasonFor({ address, port }: ListenerSocket): string {
  return isAnyAddress(address) ? `it takes port ${port} on every address` : `it is for ${hostAndPort(address, port)}`;
}

function otherAddress({ listener, address, port }: ListenerSocket): PassedOver {
  return { name: listener.name, why: `it is for ${hostAndPort(address, port)}` };
}

function placeOf({ address, port }: SimulatedRequest): string {
  return address === undefined ? `port ${port}` : hostAndPort(address, port);
}

function isInbound({ trafficDirection }: Listener): boolean {
  return trafficDirection === TrafficDirection.INBOUND;
}

function restoresDestination(listener: Listener): boolean {
  return listener.useOriginalDst === true || hasListenerFilter(listener, OriginalDstSchema);
}
