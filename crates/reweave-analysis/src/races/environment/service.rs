//! Services: requests of the program and callbacks of the system. A service is created once for its first request,
//! then started and bound in two rows of callbacks that both end before it is stopped.

use super::{Identity, Orders, Stamp};
use crate::races::event::TaskId;
use crate::races::rules::Rule;
use std::collections::BTreeMap;

/// A request to, or a callback of, a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServiceStep {
    RequestStart,
    RequestBind,
    RequestStop,
    RequestUnbind,
    Create,
    Bind,
    Unbind,
    Arguments,
    Connect,
    Stop,
}

impl ServiceStep {
    pub fn is_callback(self) -> bool {
        match self {
            ServiceStep::RequestStart
            | ServiceStep::RequestBind
            | ServiceStep::RequestStop
            | ServiceStep::RequestUnbind => false,
            ServiceStep::Create
            | ServiceStep::Bind
            | ServiceStep::Unbind
            | ServiceStep::Arguments
            | ServiceStep::Connect
            | ServiceStep::Stop => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceOp {
    pub step: ServiceStep,
    /// Number of the service's class, given by the translator.
    pub service: u32,
    /// The intent of a start, the connection of a bind.
    pub id: Identity,
}

#[derive(Debug)]
struct Service<M> {
    first_request: Stamp<M>,
    first_bind: Option<Stamp<M>>,
    first_stop: Option<Stamp<M>>,
    unbinds: Vec<Stamp<M>>,
    created: bool,
    bound: Option<Stamp<M>>,
    last_started: Option<Stamp<M>>,
    last_bound: Option<Stamp<M>>,
    was_started: bool,
    was_bound: bool,
}

impl<M> Service<M> {
    fn new(first_request: Stamp<M>) -> Service<M> {
        Service {
            first_request,
            first_bind: None,
            first_stop: None,
            unbinds: Vec::new(),
            created: false,
            bound: None,
            last_started: None,
            last_bound: None,
            was_started: false,
            was_bound: false,
        }
    }
}

#[derive(Debug)]
struct Connection<M> {
    requested: Stamp<M>,
    unbound: bool,
}

#[derive(Debug)]
pub struct Services<M> {
    services: BTreeMap<u32, Service<M>>,
    starts: BTreeMap<Identity, Stamp<M>>,
    connections: BTreeMap<(Identity, u32), Connection<M>>,
}

impl<M> Default for Services<M> {
    fn default() -> Services<M> {
        Services {
            services: BTreeMap::new(),
            starts: BTreeMap::new(),
            connections: BTreeMap::new(),
        }
    }
}

impl<M: Clone> Services<M> {
    pub fn step(&mut self, op: &ServiceOp, orders: &mut Orders<'_, M>) {
        let here = orders.here;
        match op.step {
            ServiceStep::RequestStart => {
                self.starts.entry(op.id).or_insert_with(|| here.clone());
                self.services
                    .entry(op.service)
                    .or_insert_with(|| Service::new(here.clone()));
            }
            ServiceStep::RequestBind => self.request_bind(op, here),
            ServiceStep::RequestStop => {
                if let Some(service) = self.services.get_mut(&op.service) {
                    service.first_stop.get_or_insert_with(|| here.clone());
                }
            }
            ServiceStep::RequestUnbind => self.request_unbind(op.id, here),
            ServiceStep::Create => {
                if let Some(service) = self.services.get_mut(&op.service)
                    && !service.created
                {
                    orders.enabled_by(Rule::Service, &service.first_request);
                    service.created = true;
                    service.last_started = Some(here.clone());
                    service.last_bound = Some(here.clone());
                }
            }
            ServiceStep::Bind => self.bind(op.service, orders),
            ServiceStep::Unbind => self.unbind(op.service, orders),
            ServiceStep::Arguments => self.arguments(op, orders),
            ServiceStep::Connect => self.connect(op, orders),
            ServiceStep::Stop => self.stop(op.service, orders),
        }
    }

    fn request_bind(&mut self, op: &ServiceOp, here: &Stamp<M>) {
        let connection = self
            .connections
            .entry((op.id, op.service))
            .or_insert_with(|| Connection {
                requested: here.clone(),
                unbound: false,
            });
        if connection.unbound {
            *connection = Connection {
                requested: here.clone(),
                unbound: false,
            };
        }
        let service = self
            .services
            .entry(op.service)
            .or_insert_with(|| Service::new(here.clone()));
        service.first_bind.get_or_insert_with(|| here.clone());
    }

    /// An unbind names only the connection, so it counts for every service that uses it.
    fn request_unbind(&mut self, id: Identity, here: &Stamp<M>) {
        let uses = self.connections.range_mut((id, u32::MIN)..=(id, u32::MAX));
        for ((_, service), connection) in uses.filter(|(_, connection)| !connection.unbound) {
            connection.unbound = true;
            if let Some(service) = self.services.get_mut(service) {
                service.unbinds.push(here.clone());
            }
        }
    }

    fn bind(&mut self, service: u32, orders: &mut Orders<'_, M>) {
        let Some(service) = self.services.get_mut(&service) else {
            return;
        };
        if !service.created || service.bound.is_some() {
            return;
        }
        if let Some(request) = &service.first_bind {
            orders.enabled_by(Rule::Service, request);
        }
        service.bound = Some(orders.here.clone());
        service.was_bound = true;
        if let Some(previous) = service.last_bound.replace(orders.here.clone()) {
            orders.follows(Rule::Service, &previous);
        }
    }

    fn unbind(&mut self, service: u32, orders: &mut Orders<'_, M>) {
        let Some(service) = self.services.get_mut(&service) else {
            return;
        };
        if service.bound.take().is_none() {
            return;
        }
        for request in service.unbinds.drain(..) {
            orders.enabled_by(Rule::Service, &request);
        }
        service.first_bind = None;
        if let Some(previous) = service.last_bound.replace(orders.here.clone()) {
            orders.follows(Rule::Service, &previous);
        }
    }

    fn arguments(&mut self, op: &ServiceOp, orders: &mut Orders<'_, M>) {
        let Some(service) = self.services.get_mut(&op.service) else {
            return;
        };
        if !service.created {
            return;
        }
        let Some(request) = self.starts.remove(&op.id) else {
            return;
        };
        orders.enabled_by(Rule::Service, &request);
        service.was_started = true;
        if let Some(previous) = service.last_started.replace(orders.here.clone()) {
            orders.follows(Rule::Service, &previous);
        }
    }

    fn connect(&mut self, op: &ServiceOp, orders: &mut Orders<'_, M>) {
        if let Some(bound) = self
            .services
            .get(&op.service)
            .and_then(|service| service.bound.as_ref())
        {
            orders.enabled_by(Rule::Service, bound);
        }
        if let Some(connection) = self.connections.get(&(op.id, op.service)) {
            // A request later than the post is for the next connection, not for this one.
            if orders
                .here
                .posted
                .is_some_and(|posted| connection.requested.event < posted)
            {
                orders.enabled_by(Rule::Service, &connection.requested);
            }
        }
    }

    fn stop(&mut self, service: u32, orders: &mut Orders<'_, M>) {
        let Some(stopped) = self.services.get(&service) else {
            return;
        };
        let (Some(bound), Some(started)) = (&stopped.last_bound, &stopped.last_started) else {
            return;
        };
        if !stopped.was_started && !stopped.was_bound {
            return;
        }
        orders.follows(Rule::Service, bound);
        orders.follows(Rule::Service, started);
        if stopped.was_started {
            let Some(request) = &stopped.first_stop else {
                return;
            };
            orders.enabled_by(Rule::Service, request);
        }
        self.services.remove(&service);
    }

    pub fn remembered<'a>(&'a self, all: &mut Vec<&'a Stamp<M>>) {
        for service in self.services.values() {
            all.push(&service.first_request);
            all.extend(&service.unbinds);
            all.extend(
                [&service.first_bind, &service.first_stop, &service.bound]
                    .into_iter()
                    .flatten(),
            );
            all.extend(
                [&service.last_started, &service.last_bound]
                    .into_iter()
                    .flatten(),
            );
        }
        all.extend(self.starts.values());
        all.extend(
            self.connections
                .values()
                .map(|connection| &connection.requested),
        );
    }

    pub fn tasks(&self, all: &mut Vec<TaskId>) {
        for service in self.services.values() {
            let last = [&service.last_started, &service.last_bound];
            all.extend(last.into_iter().flatten().filter_map(|stamp| stamp.task));
        }
    }
}
