import { createHash } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { inlayError } from '../../errors.js';
import { type ClusterOptions, contextOption, kubeconfigOption } from '../cluster-options.js';
import { examples, jsonOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';

interface ApproveOptions extends ClusterOptions {
  readonly plan?: string;
  readonly json?: boolean;
}

/** `inlay approve`: says yes to a plan that waits. */
export function addApproveCommand(program: Command, io: CliIo): void {
  program
    .command('approve')
    .summary('say yes to a plan of the operator that waits for it')
    .description(
      'Creates a PlanApproval for a SharingPlan as it is now. It counts for this very plan in this very state of the cluster: when either changes it has expired. Needs the right to create planapprovals, which the role inlay-approver gives.',
    )
    .argument('<plan>', 'name of the SharingPlan, see kubectl get sharingplans', readName)
    .addOption(new Option('--plan <id>', 'id that the plan must have, as it was read before'))
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('inlay approve a100-3', 'inlay approve a100-3 --plan sha256:7c0b…'))
    .action((name: string, options: ApproveOptions) => runApprove(name, options, io));
}

/** Without a name the path would be that of all plans. */
function readName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is the name of a SharingPlan.');
  return text;
}

async function runApprove(name: string, options: ApproveOptions, io: CliIo): Promise<void> {
  const [{ connect }, { isConflict, toInlayError }, { planApprovals, sharingPlans }, { groupVersion }] = await Promise.all([
    import('../../cluster/client/connect.js'),
    import('../../cluster/client/kubernetes-error.js'),
    import('../../cluster/objects/kinds.js'),
    import('../../cluster/objects/names.js'),
  ]);
  const api = await connect(options);
  try {
    const { spec, status, metadata } = await api.get(sharingPlans, { name });
    const { planId, stateHash, gpus, bound, summary, dips = [] } = spec;
    if (options.plan !== undefined && options.plan !== planId) {
      throw inlayError('PLAN_MISMATCH', {
        message: `The SharingPlan ${name} is not the plan that you read.`,
        expected: options.plan,
        received: planId,
        hint: 'Read it again: kubectl get sharingplan -o yaml',
      });
    }
    if (status?.phase !== undefined && status.phase !== 'Proposed') {
      throw inlayError('USAGE', {
        message: `The SharingPlan ${name} does not wait for an approval: its phase is ${status.phase}.`,
        hint: 'kubectl get sharingplans',
      });
    }
    // A number may be given again when its plan was deleted: the yes to another plan of that name is another object.
    const content = createHash('sha256').update(`${planId} ${stateHash}`).digest('hex').slice(0, 8);
    const owner = { apiVersion: groupVersion, kind: 'SharingPlan', name, uid: metadata.uid ?? '' };
    const approval = {
      metadata: { name: `${name}-${content}`, ownerReferences: [owner] },
      spec: { sharingPlan: name, planId, stateHash },
    };
    await api.create(planApprovals, approval).catch((error: unknown) => {
      // The same yes said twice.
      if (!isConflict(error)) throw error;
    });
    if (options.json === true) writeJson(io, { approved: name, planId, stateHash });
    else {
      const dip = dips
        .map(({ service, rps, seconds }) => `\n${service} falls ${rps.toFixed(1)} rps below its demand for about ${seconds.toFixed(0)} s.`)
        .join('');
      io.stdout.write(`Approved ${name}: ${gpus} GPUs (bound ${bound}), ${summary.podStarts} pod starts, ${summary.wipes} wipes.${dip}\n`);
    }
  } catch (error) {
    throw toInlayError(error);
  } finally {
    api.close();
  }
}
