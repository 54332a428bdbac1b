import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { socketOf } from "../socket-address.ts";

/** One of the addresses of a listener. */
export interface ListenerSocket {
  readonly listener: Listener;
  readonly address: string;
  readonly port: number;
}

/** The TCP sockets with that port, in the order of the listeners. */
export function socketsOn(listeners: readonly Listener[], port: number): readonly ListenerSocket[] {
  return listeners.flatMap(socketsOf).filter((socket) => socket.port === port);
}

function socketsOf(listener: Listener): readonly ListenerSocket[] {
  if (listener.udpListenerConfig !== undefined) return [];
  const addresses = [listener.address, ...listener.additionalAddresses.map(({ address }) => address)];
  return addresses.flatMap((address) => {
    const socket = socketOf(address);
    return socket === undefined ? [] : [{ listener, ...socket }];
  });
}
