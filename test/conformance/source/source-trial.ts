import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { Config } from "../../../src/config/config.ts";
import type { Source, SourceEvent } from "../../../src/galley/source/source.ts";
import { SourceRecorder } from "../../../src/testing/recording/source-recorder.ts";

/** A source in a world that tests can change. The source fills at least the collections of the networking kinds. */
export interface SourceSubject {
  readonly source: Source;
  /** Writes the objects of a YAML text into the world, in place of those with the same names. */
  put(yaml: string): Promise<void>;
  remove(kind: string, namespace: string, name: string): Promise<void>;
  /**
   * For a registry, which holds no objects of ours. There, `put` registers an instance that carries the hostname. Where
   * the text has a mistake, `put` registers an unreadable entry. This returns the hostname in an object that the source
   * derives.
   */
  readonly hostnameOf?: (config: Config) => string | undefined;
  /** Makes the source lose track. Absent where the source cannot. */
  readonly reset?: () => Promise<void>;
  /** Resolves when the source has delivered every change so far. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";

/** One source and its listener, for one test. */
export class SourceTrial {
  readonly subject: SourceSubject;
  heard = new SourceRecorder();

  constructor(subject: SourceSubject) {
    this.subject = subject;
  }

  async start(): Promise<void> {
    await this.subject.source.start(this.heard.handler);
    await this.subject.idle();
  }

  async put(yaml: string): Promise<void> {
    await this.subject.put(yaml);
    await this.subject.idle();
  }

  /** The latest hostname of a ServiceEntry in the namespace `shop` from the source. */
  hostname(object: string): string | undefined {
    const config = this.heard.config(collection, `shop/${object}`);
    return config && (this.subject.hostnameOf ?? firstHost)(config);
  }
}

function firstHost({ spec }: Config): string | undefined {
  return (spec as ServiceEntry).hosts[0];
}

/** A ServiceEntry with one hostname, in the namespace `shop`. */
export function serviceEntry(name: string, hostname = `${name}.shop`): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata:
  name: ${name}
  namespace: shop
spec:
  hosts: [${hostname}]
  ports:
    - { number: 80, name: http, protocol: HTTP }
  resolution: DNS
`;
}

export const misspelt = serviceEntry("reviews").replace("resolution", "resoluton");
export const unknownKind = serviceEntry("deploy").replace("kind: ServiceEntry", "kind: Deployment");

/** The collections with a full sync, sorted. */
export function syncs(events: readonly SourceEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "fullSync" ? event.collection : [])).toSorted();
}
