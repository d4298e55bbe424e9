/**
 * The engines that execute workflows: of one process on its file, or of each machine on a PostgreSQL.
 */
import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SingleRunner from "@effect/cluster/SingleRunner"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import { systemCode } from "@effect-speech/transport/Failure"
import * as Printable from "@effect-speech/transport/Printable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { AddressFailed } from "../../ArchiveError.js"

const shardingConfig = {
  shardsPerGroup: 64,
  simulateRemoteSerialization: false,
  // Calls are finished by the pool, before the engine is closed.
  entityTerminationTimeout: 500,
  // Batches that have ended leave the memory after this time.
  entityMaxIdleTime: 5_000
} satisfies Partial<ShardingConfig.ShardingConfig["Type"]>

/** The engine of the only process that works on a store. */
export const layerSingle: Layer.Layer<WorkflowEngine, never, SqlClient.SqlClient> = ClusterWorkflowEngine.layer.pipe(
  Layer.provide(
    SingleRunner.layer({
      runnerStorage: "memory",
      // There is no other machine to look for.
      shardingConfig: { ...shardingConfig, refreshAssignmentsInterval: 3_600_000 }
    })
  ),
  Layer.orDie
)

/** The engine of one of several machines. The others reach it at `host` and `port`. */
export const layerMachine = (address: {
  readonly host: string
  readonly port: number
}): Layer.Layer<WorkflowEngine, AddressFailed, SqlClient.SqlClient> =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("@effect/platform-node/NodeClusterSocket")),
      (NodeClusterSocket) =>
        ClusterWorkflowEngine.layer.pipe(
          Layer.provide(
            NodeClusterSocket.layer({
              storage: "sql",
              runnerHealth: "ping",
              shardingConfig: {
                ...shardingConfig,
                // A machine that joins or leaves is seen within this time.
                refreshAssignmentsInterval: 1_000,
                runnerAddress: Option.some(RunnerAddress.make(address.host, address.port))
              }
            })
          ),
          Layer.catchAll((error) =>
            error._tag === "SocketServerError" ? Layer.fail(addressFailed(address, error.cause)) : Layer.die(error)
          )
        )
    )
  )

const addressFailed = ({ host, port }: { readonly host: string; readonly port: number }, cause: unknown) => {
  const code = systemCode(cause)
  const advice =
    code === "EADDRINUSE"
      ? "another program does. End that, or give another port."
      : code === "EACCES"
        ? "this user may not. Give a port from 1024."
        : "give an address of this machine as the host."
  return new AddressFailed({
    host,
    port,
    ...(code !== undefined && { code }),
    message: Printable.line(
      `This machine can't listen on ${host}:${port}${code === undefined ? "" : ` (${code})`}: ${advice}`
    )
  })
}
