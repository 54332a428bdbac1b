import {
  hashcodeOf,
  instancesOf,
  noApplications,
  withListing,
} from "../../../src/galley/source/eureka/applications.ts";
import { readListing } from "../../../src/galley/source/eureka/read-listing.ts";
import { defaultServiceSettings, servicesOf } from "../../../src/galley/source/eureka/services-of.ts";
import { readJson } from "../../../src/lib/bounded/read-bounded.ts";
import { orRefusedLater, promise } from "../oracle.ts";
import { checkRegistry } from "../registry-oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

/** Answers of a Eureka server, to whole listings and to changes. */
export const target: FuzzTarget = {
  name: "eureka",
  mode: "async",
  words: [...inheritedNames, '"actionType":"DELETED"', '"overriddenStatus":', '"securePort":', '"k8sNs":', '"$":'],
  planted: {
    file: "src/galley/source/eureka/read-listing.ts",
    before: '  const status = scalarText(fields["status"])',
    text: "JSON.stringify(fields)",
  },
  check: async (input) => {
    const limit = { what: "the answer", maxBytes: 100_000, maxValues: 10_000 };
    const json = await orRefusedLater(() => readJson(chunksOf(input), limit));
    const listing = readListing(json);
    if (listing === undefined) return;
    const applications = withListing(noApplications, listing);
    const again = withListing(applications, listing);
    promise(hashcodeOf(again) === hashcodeOf(applications), "a repeated listing changes nothing");
    const parts = [...applications.keys()].map((app) => {
      const instances = [...instancesOf(applications)].filter((instance) => instance.app === app);
      return [
        app,
        { services: servicesOf(instances, defaultServiceSettings), issues: listing.issues.get(app) ?? [] },
      ] as const;
    });
    checkRegistry(new Map(parts));
  },
};

async function* chunksOf(input: Buffer): AsyncGenerator<Buffer> {
  yield input;
}
