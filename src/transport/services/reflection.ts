import {
  create,
  type DescFile,
  type DescService,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "#gen/grpc/reflection/v1/reflection_pb.js";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { MethodTables } from "../server/method.ts";
import { ProtoFiles } from "./proto-files.ts";

type Response = Exclude<MessageInitShape<typeof ServerReflectionResponseSchema>, { $typeName: string }>;
type Content = NonNullable<Response["messageResponse"]>;

export interface ReflectionOptions {
  /** The listed services. */
  readonly services: readonly DescService[];
  /** Further files that can be described: the messages inside an Any, for tools that decode it. */
  readonly files: readonly DescFile[];
}

/** gRPC server reflection: tools discover the services and can decode the answers. */
export function reflection({ services, files }: ReflectionOptions): MethodTables {
  const protoFiles = new ProtoFiles([...services.map(({ file }) => file), ...files]);
  const names = services.map(({ typeName }) => ({ name: typeName }));
  const listing: Content = { case: "listServicesResponse", value: { service: names } };
  const serve = (stream: GrpcStream) => {
    const onMessage = (bytes: Uint8Array) => {
      const request = fromBinary(ServerReflectionRequestSchema, bytes);
      const messageResponse = request.messageRequest.case === "listServices" ? listing : describe(protoFiles, request);
      const response: Response = { validHost: request.host, originalRequest: request, messageResponse };
      stream.send(toBinary(ServerReflectionResponseSchema, create(ServerReflectionResponseSchema, response)), []);
    };
    stream.attach({ onMessage, onFlushed: () => undefined, onClose: () => undefined });
  };
  // The messages of v1alpha are the same.
  const paths = ["v1", "v1alpha"].map((v) => `/grpc.reflection.${v}.ServerReflection/ServerReflectionInfo`);
  return { methods: new Map(paths.map((path) => [path, serve])) };
}

function describe(protoFiles: ProtoFiles, { messageRequest: asked }: ServerReflectionRequest): Content {
  if (asked.case === "fileByFilename") return found(protoFiles.file(asked.value), asked.value);
  if (asked.case === "fileContainingSymbol") return found(protoFiles.fileOf(asked.value), asked.value);
  return failed(GrpcStatus.UNIMPLEMENTED, "extensions are not listed");
}

function found(file: DescFile | undefined, name: string): Content {
  if (file === undefined) return failed(GrpcStatus.NOT_FOUND, `${name} is not known here`);
  const bytes = toBinary(FileDescriptorProtoSchema, file.proto);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: [bytes] } };
}

function failed(errorCode: number, errorMessage: string): Content {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
