import type { EurekaListing } from "../../galley/source/eureka/eureka-instance.ts";
import type { EurekaServer } from "../../galley/source/eureka/eureka-server.ts";
import { readListing } from "../../galley/source/eureka/read-listing.ts";
import { assert } from "../../lib/assert.ts";

interface Registration {
  readonly app: string;
  readonly instanceId: string;
  readonly ipAddr?: string;
  readonly status?: string;
  readonly port?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A Eureka server in memory that answers like a real one, and misbehaves on demand. */
export class MemoryEureka implements EurekaServer {
  readonly url: string;
  /** The requests, in order. */
  readonly asked: ("all" | "changes")[] = [];
  /** The reason why the server does not answer. Undefined while it answers. */
  failure: string | undefined;
  /** True if the server serves recent changes. */
  hasChanges = true;
  /** Omits changes from its answers, though they count in its hash code. */
  loses = false;
  readonly #registered = new Map<string, Registration>();
  #changes: (Registration & { readonly actionType: string })[] = [];

  constructor(url = "memory") {
    this.url = url;
  }

  register(registration: Registration): void {
    this.#registered.set(keyOf(registration), registration);
    this.#note(registration, "ADDED");
  }

  deregister(app: string, instanceId: string): void {
    const registration = this.#registered.get(keyOf({ app, instanceId }));
    if (registration === undefined) return;
    this.#registered.delete(keyOf(registration));
    this.#note(registration, "DELETED");
  }

  /** Forgets all instances, as after a restart. */
  forget(): void {
    this.#registered.clear();
    this.#changes = [];
  }

  all(): Promise<EurekaListing> {
    return this.#answer("all", [...this.#registered.values()]);
  }

  changes(): Promise<EurekaListing | undefined> {
    return this.hasChanges ? this.#answer("changes", this.#changes) : Promise.resolve(undefined);
  }

  #note(registration: Registration, actionType: string): void {
    if (!this.loses) this.#changes.push({ ...registration, actionType });
  }

  async #answer(question: "all" | "changes", registrations: readonly Registration[]): Promise<EurekaListing> {
    this.asked.push(question);
    if (this.failure !== undefined) throw new Error(this.failure);
    const application = Array.from(
      Map.groupBy(registrations, ({ app }) => app),
      ([name, instance]) => ({
        name,
        instance: instance.map((one) => ({ ipAddr: "10.0.0.1", status: "UP", port: 8080, ...one })),
      }),
    );
    const statuses = Array.from(this.#registered.values(), ({ status = "UP" }) => status).toSorted();
    const counts = Map.groupBy(statuses, (status) => status);
    const hashcode = Array.from(counts, ([status, all]) => `${status}_${all.length}_`).join("");
    const listing = readListing({ applications: { apps__hashcode: hashcode, application } });
    assert(listing !== undefined, "it answers with a listing");
    return listing;
  }
}

function keyOf({ app, instanceId }: Pick<Registration, "app" | "instanceId">): string {
  return `${app} ${instanceId}`;
}
