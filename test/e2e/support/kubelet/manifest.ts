/** The parts of a pod that a kubelet acts on, as the API server returns them. */
export interface PodManifest {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName: string;
    readonly securityContext?: { readonly sysctls?: readonly { readonly name: string; readonly value: string }[] };
    readonly containers: readonly ContainerManifest[];
    readonly initContainers?: readonly ContainerManifest[];
    readonly volumes?: readonly VolumeManifest[];
  };
}

export type Texts = Readonly<Record<string, string>>;

export interface ContainerManifest {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly VariableManifest[];
  /** `Always` for a native sidecar. */
  readonly restartPolicy?: string;
  readonly lifecycle?: Readonly<Partial<Record<"postStart" | "preStop", Handler>>>;
  readonly startupProbe?: Handler;
  readonly readinessProbe?: Handler;
  readonly livenessProbe?: Handler;
  readonly securityContext?: {
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    readonly readOnlyRootFilesystem?: boolean;
  };
  readonly resources?: { readonly limits?: Texts };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export type ProbeName = "startupProbe" | "readinessProbe" | "livenessProbe";

export interface Handler {
  readonly exec?: { readonly command: readonly string[] };
  readonly httpGet?: {
    readonly path: string;
    readonly port: number | string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
}

interface VariableManifest {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: FieldReference;
    readonly resourceFieldRef?: { readonly resource: string };
  };
}

interface FieldReference {
  readonly fieldPath: string;
}

export interface VolumeManifest extends VolumeSource {
  readonly name: string;
  readonly emptyDir?: object;
  readonly projected?: { readonly sources: readonly VolumeSource[] };
}

export interface VolumeSource {
  readonly configMap?: { readonly name: string };
  readonly downwardAPI?: { readonly items: readonly { readonly path: string; readonly fieldRef: FieldReference }[] };
  readonly serviceAccountToken?: {
    readonly path: string;
    readonly audience?: string;
    readonly expirationSeconds?: number;
  };
}
