type Reasons = Readonly<Record<string, string>>;

function reference(field: string): Reasons {
  return {
    [`${field}.group`]: "it goes with the kind",
    [`${field}.kind`]: "it goes with the group",
    [`${field}.namespace`]: "a reference stays within its namespace",
  };
}

const references = { ...reference("targetRef"), ...reference("targetRefs[]") };

/**
 * Fields of which validation takes one value at most beside the others, and why. Nothing can be
 * compared for them.
 */
export const onlyValues: Readonly<Record<string, Reasons>> = {
  RequestAuthentication: references,
  ServiceRoleBinding: { "roleRef.kind": "there is one kind of roles" },
};
