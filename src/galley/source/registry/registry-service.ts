/**
 * A service as a registry lists it, independent of the registry. {@link serviceEntryOf} converts it to a ServiceEntry.
 * The reader of each registry decides the name and which instances are in service.
 */
export interface RegistryService {
  /** Name and namespace of the ServiceEntry. */
  readonly name: string;
  readonly namespace: string;
  readonly hostname: string;
  /** Where a person finds the service in the registry: `/dubbo/com.acme.Cart`, `app CART`. */
  readonly reference: string;
  /** Labels of the ServiceEntry itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Ports of the service in addition to those of its instances. */
  readonly ports?: readonly RegistryPort[];
  /** Whether the ports of the instances are ports of the service. True by default. */
  readonly instancePorts?: boolean;
  /** The instances that may receive requests, in any order. */
  readonly instances: readonly RegistryInstance[];
}

export interface RegistryInstance {
  /** Unique within the service; issues name it. */
  readonly id: string;
  /** An IP address or a DNS name. With a name, the whole service uses DNS resolution. */
  readonly address: string;
  /** The first port receives requests for ports that the instance lacks. Never empty. */
  readonly ports: readonly RegistryPort[];
  /** The registry's metadata, unchanged. The conversion drops invalid labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** `region/zone/subzone`, if the registry has it outside of labels. */
  readonly locality?: string;
  readonly serviceAccount?: string;
}

export interface RegistryPort {
  readonly number: number;
  /** A protocol that Istio knows. */
  readonly protocol: string;
  /** {@link registryPortName} of protocol and number by default. */
  readonly name?: string;
}

/** `http-8080`. */
export function registryPortName({ name, protocol, number }: RegistryPort): string {
  return name ?? `${protocol.toLowerCase()}-${number}`;
}

/** A service as issues name it, by its key. */
export function objectNamed(key: string): string {
  return `ServiceEntry ${key}`;
}
