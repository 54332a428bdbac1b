import type { Example } from "../proof.ts";
import { authorizationPolicies } from "./authorization-policies.ts";
import { destinationRules } from "./destination-rules.ts";
import { envoyFilters } from "./envoy-filters.ts";
import { extensions } from "./extensions.ts";
import { legacyAccess } from "./legacy-access.ts";
import { legacyPolicies } from "./legacy-policies.ts";
import { meshConfigs } from "./mesh-configs.ts";
import { others } from "./others.ts";
import { requestAuthentications } from "./request-authentications.ts";
import { telemetries } from "./telemetries.ts";
import { virtualServices } from "./virtual-services.ts";
import { wholeKinds } from "./whole-kinds.ts";

export const examples: readonly Example[] = [
  ...meshConfigs,
  ...destinationRules,
  ...virtualServices,
  ...authorizationPolicies,
  ...others,
  ...extensions,
  ...envoyFilters,
  ...requestAuthentications,
  ...telemetries,
  ...legacyPolicies,
  ...legacyAccess,
  ...wholeKinds,
];
