import type { Issue } from "../../../config/issue.ts";

/** One registration, as far as a mesh needs it. */
export interface EurekaInstance {
  /** The application, as the server writes it: in upper case. */
  readonly app: string;
  /** Unique within the application. */
  readonly id: string;
  readonly hostname: string;
  readonly address: string;
  /** As the server counts it in its hash code. */
  readonly status: string;
  /** Whether requests may be sent to it: UP, and not overruled by an operator. */
  readonly inService: boolean;
  readonly port: EurekaPort | undefined;
  readonly securePort: EurekaPort | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface EurekaPort {
  readonly number: number;
  readonly enabled: boolean;
}

/** What a server answers, to a question for everything or for what changed of late. */
export interface EurekaListing {
  /** How many instances have which status once this is known; undefined where a server does not say. */
  readonly hashcode: string | undefined;
  readonly listed: readonly ListedInstance[];
  /** What of it could not be read, by application. */
  readonly issues: ReadonlyMap<string, readonly Issue[]>;
}

export interface ListedInstance {
  readonly instance: EurekaInstance;
  readonly gone: boolean;
}
