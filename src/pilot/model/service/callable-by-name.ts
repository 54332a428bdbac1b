import { oncePer } from "../../../lib/memo.ts";
import type { Service } from "./service.ts";

/** The services as workloads see them whose agent answers DNS questions: allocated addresses are their addresses. */
export const callableByName = oncePer((services: readonly Service[]): readonly Service[] =>
  services.map(withAllocated),
);

const withAllocated = oncePer(
  (service: Service): Service =>
    service.allocated === undefined ? service : { ...service, addresses: service.allocated },
);
