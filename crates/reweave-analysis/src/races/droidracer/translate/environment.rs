//! What the environment did: inputs, life cycles, services, broadcasts, idle handlers.

use super::super::line::{Fields, shortened};
use super::super::{ImportError, Problem};
use super::Translator;
use crate::races::environment::{
    BroadcastOp, BroadcastStep, EnvironmentOp, Identity, IdleHandler, Input, Lifecycle, ServiceOp,
    ServiceStep,
};

impl Translator {
    pub(super) fn environment(
        &mut self,
        kind: &str,
        id: u32,
        fields: &Fields<'_>,
    ) -> Result<EnvironmentOp, ImportError> {
        Ok(match kind {
            "ENABLE-EVENT" => {
                let input = input(fields)?;
                self.enables += 1;
                self.last_enable.insert((input.view.0, input.kind), id);
                EnvironmentOp::EnableInput(input)
            }
            "TRIGGER-EVENT" => {
                let input = input(fields)?;
                self.used_enables
                    .extend(self.last_enable.get(&(input.view.0, input.kind)));
                EnvironmentOp::TriggerInput(input)
            }
            "ENABLE-WINDOW-FOCUS" => EnvironmentOp::EnableFocus(identity(fields, "windowHash")?),
            "TRIGGER-WINDOW-FOCUS" => EnvironmentOp::TriggerFocus(identity(fields, "windowHash")?),
            "ENABLE-LIFECYCLE" => {
                EnvironmentOp::EnableLifecycle(identity(fields, "id")?, lifecycle(fields)?)
            }
            "TRIGGER-LIFECYCLE" => {
                EnvironmentOp::TriggerLifecycle(identity(fields, "id")?, lifecycle(fields)?)
            }
            "INSTANCE-INTENT" => EnvironmentOp::NameInstance {
                instance: identity(fields, "instance")?,
                intent: identity(fields, "intentId")?,
            },
            "TRIGGER-SERVICE" => EnvironmentOp::Service(ServiceOp {
                step: service_step(fields)?,
                service: self.services.of(fields.text("component")?),
                id: identity(fields, "id")?,
            }),
            "TRIGGER-BROADCAST" => EnvironmentOp::Broadcast(self.broadcast(id, fields)?),
            "ADD_IDLE_HANDLER" => EnvironmentOp::AddIdle(idle(fields)?),
            "REMOVE_IDLE_HANDLER" => EnvironmentOp::RemoveIdle(idle(fields)?),
            "QUEUE_IDLE" => EnvironmentOp::RunIdle(idle(fields)?),
            _ => return Err(fields.error(Problem::UnknownKind(shortened(kind)))),
        })
    }

    fn broadcast(&mut self, id: u32, fields: &Fields<'_>) -> Result<BroadcastOp, ImportError> {
        let action = fields.text("action")?;
        let step = match fields.name("state")? {
            "ABC_REGISTER_RECEIVER" => BroadcastStep::Register,
            "ABC_UNREGISTER_RECEIVER" => BroadcastStep::Unregister,
            "ABC_SEND_BROADCAST" => BroadcastStep::Send,
            "ABC_SEND_STICKY_BROADCAST" => BroadcastStep::SendSticky,
            "ABC_REMOVE_STICKY_BROADCAST" => BroadcastStep::RemoveSticky,
            "ABC_TRIGGER_ONRECIEVE_LATER" => BroadcastStep::Promise(Identity(id.into())),
            "ABC_ONRECEIVE" => {
                let later = fields.number("onRecLater")?;
                BroadcastStep::Receive {
                    promise: (later >= 0).then_some(Identity(later)),
                    periodic: action == "android.intent.action.TIME_TICK",
                }
            }
            state => return Err(fields.error(Problem::UnknownState(shortened(state)))),
        };
        Ok(BroadcastOp {
            step,
            receiver: identity(fields, "component")?,
            action: self.actions.of(action),
            intent: identity(fields, "intent")?,
        })
    }
}

fn identity(fields: &Fields<'_>, key: &'static str) -> Result<Identity, ImportError> {
    Ok(Identity(fields.number(key)?))
}

fn input(fields: &Fields<'_>) -> Result<Input, ImportError> {
    Ok(Input {
        view: identity(fields, "view")?,
        kind: fields.number("event")?,
    })
}

fn idle(fields: &Fields<'_>) -> Result<IdleHandler, ImportError> {
    Ok(IdleHandler {
        handler: identity(fields, "idler")?,
        queue: identity(fields, "queue")?,
    })
}

fn lifecycle(fields: &Fields<'_>) -> Result<Lifecycle, ImportError> {
    Ok(match fields.name("state")? {
        "BIND-APP" => Lifecycle::BindApplication,
        "BINDAPP-DONE" => Lifecycle::ApplicationBound,
        "LAUNCH-ACT" => Lifecycle::Launch,
        "START-ACT" => Lifecycle::Start,
        "RESUME-ACT" => Lifecycle::Resume,
        "PAUSE-ACT" => Lifecycle::Pause,
        "STOP-ACT" => Lifecycle::Stop,
        "DESTROY-ACT" => Lifecycle::Destroy,
        "RESULT-ACT" => Lifecycle::Result,
        "NEW_INTENT" => Lifecycle::NewIntent,
        "START_NEW_INTENT" => Lifecycle::StartNewIntent,
        "RELAUNCH-ACT" => Lifecycle::Relaunch,
        "CHANGE-CONFIG" => Lifecycle::ChangeConfiguration,
        "CHANGE-ACT-CONFIG" => Lifecycle::ChangeActivityConfiguration,
        "RUN_TIMER_TASK" => Lifecycle::TimerTask,
        state => return Err(fields.error(Problem::UnknownState(shortened(state)))),
    })
}

fn service_step(fields: &Fields<'_>) -> Result<ServiceStep, ImportError> {
    Ok(match fields.name("state")? {
        "REQUEST_START_SERVICE" => ServiceStep::RequestStart,
        "REQUEST_BIND_SERVICE" => ServiceStep::RequestBind,
        "REQUEST_STOP_SERVICE" => ServiceStep::RequestStop,
        "REQUEST_UNBIND_SERVICE" => ServiceStep::RequestUnbind,
        "CREATE-SERVICE" => ServiceStep::Create,
        "BIND-SERVICE" => ServiceStep::Bind,
        "UNBIND-SERVICE" => ServiceStep::Unbind,
        "SERVICE-ARGS" => ServiceStep::Arguments,
        "SERVICE_CONNECT" => ServiceStep::Connect,
        "STOP-SERVICE" => ServiceStep::Stop,
        state => return Err(fields.error(Problem::UnknownState(shortened(state)))),
    })
}
