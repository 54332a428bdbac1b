/**
 * A service as a registry lists it, whichever registry that is: what {@link serviceEntryOf} makes a ServiceEntry of.
 * Who reads a registry decides what a service is called and which of its instances are in service.
 */
export interface RegistryService {
  /** Name and namespace of the ServiceEntry. */
  readonly name: string;
  readonly namespace: string;
  readonly hostname: string;
  /** Where a person finds it in the registry: `/dubbo/com.acme.Cart`, `app CART`. */
  readonly reference: string;
  /** Of the ServiceEntry itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Ports that the service has beside those of its instances. */
  readonly ports?: readonly RegistryPort[];
  /** Whether the ports of the instances are ports of the service; true unless said otherwise. */
  readonly instancePorts?: boolean;
  /** Those that requests may be sent to, in any order. */
  readonly instances: readonly RegistryInstance[];
}

export interface RegistryInstance {
  /** Unique within the service; issues name it. */
  readonly id: string;
  /** An IP address, or a name: then DNS resolves the whole service. */
  readonly address: string;
  /** The first is where requests for ports go that it does not have itself. Never empty. */
  readonly ports: readonly RegistryPort[];
  /** What the registry knows of it, as it stands there: what cannot be a label is left out by the conversion. */
  readonly labels: Readonly<Record<string, string>>;
  /** `region/zone/subzone`, where the registry says it otherwise than by labels. */
  readonly locality?: string;
  readonly serviceAccount?: string;
}

export interface RegistryPort {
  readonly number: number;
  /** One that Istio knows. */
  readonly protocol: string;
  /** {@link portName} of both unless said otherwise. */
  readonly name?: string;
}

/** `http-8080`. */
export function portName({ name, protocol, number }: RegistryPort): string {
  return name ?? `${protocol.toLowerCase()}-${number}`;
}

/** A service as issues name it, by its key. */
export function objectNamed(key: string): string {
  return `ServiceEntry ${key}`;
}
