//! Figures of cards, as the probe measured them last.

use std::collections::HashMap;

use db_kit::Word;
use http_kit::ApiResult;

use super::text::Text;
use crate::Portal;
use crate::features::gpus::{self, GpuRow, GpuSample, GpuState};
use crate::features::servers::Server;

const STATES: [(GpuState, &str); 5] = [
    (GpuState::Free, "free"),
    (GpuState::Allocated, "allocated"),
    (GpuState::Faulty, "faulty"),
    (GpuState::Missing, "missing"),
    (GpuState::Excluded, "excluded"),
];

/// A card with its labels and sample.
struct Card<'a> {
    row: &'a GpuRow,
    server: &'a str,
    sample: Option<GpuSample>,
    leased: bool,
}

impl Card<'_> {
    fn labels(&self) -> [(&str, &str); 2] {
        [("server", self.server), ("uuid", &self.row.uuid)]
    }
}

pub(super) async fn write(portal: &Portal, servers: &[Server], text: &mut Text) -> ApiResult<()> {
    let rows = gpus::all(portal.db()).await?;
    let leases = gpus::open_leases(portal.db(), None).await?;
    let names: HashMap<&str, &str> = servers.iter().map(|server| (server.id.as_str(), server.name.as_str())).collect();
    let known = rows.iter().filter_map(|row| {
        let server = names.get(row.server.as_str())?;
        let sample = portal.clusters().sample(&row.server, &row.uuid, portal.now());
        Some(Card { row, server, sample, leased: leases.contains_key(&row.id) })
    });
    let cards: Vec<Card<'_>> = known.collect();
    write_facts(&cards, text);
    write_faults(portal, &cards, text).await?;
    write_samples(&cards, text);
    let mut leased = text.gauge("yunlab_gpu_leases", "Cards that are leased to instances, by server.");
    for server in servers {
        let count = cards.iter().filter(|card| card.leased && card.row.server == server.id).count();
        leased.sample(&[("server", &server.name)], count);
    }
    Ok(())
}

fn write_facts(cards: &[Card<'_>], text: &mut Text) {
    let mut info = text.gauge("yunlab_gpu_info", "A card: its place on its server and its model.");
    for card in cards {
        let index = card.row.position.to_string();
        let [server, uuid] = card.labels();
        info.sample(&[server, uuid, ("index", &index), ("model", &card.row.model)], 1);
    }
    let words = STATES.map(|(_, word)| word);
    let mut state = text.gauge("yunlab_gpu_state", "The state of a card: 1 for the one it is in.");
    for card in cards {
        let is = card.row.state(card.leased);
        let word = STATES.iter().find(|(state, _)| *state == is).map_or("", |(_, word)| word);
        state.states(&card.labels(), &words, word);
    }
    let mut total = text.gauge("yunlab_gpu_memory_total_bytes", "Memory of a card.");
    for card in cards.iter().filter(|card| card.row.memory_total > 0) {
        total.sample(&card.labels(), card.row.memory_total);
    }
}

async fn write_faults(portal: &Portal, cards: &[Card<'_>], text: &mut Text) -> ApiResult<()> {
    let outages = gpus::open_outages(portal.db()).await?;
    let mut faults = text.gauge("yunlab_gpu_fault", "Why a card is out of order: 1 while it is.");
    for card in cards {
        let Some(outage) = outages.get(&card.row.id) else { continue };
        let [server, uuid] = card.labels();
        faults.sample(&[server, uuid, ("reason", &Word(outage.reason).to_string())], 1);
    }
    Ok(())
}

fn write_samples(cards: &[Card<'_>], text: &mut Text) {
    let mut each = |name, help, value: fn(GpuSample) -> Option<f64>| {
        let mut gauge = text.gauge(name, help);
        for card in cards {
            gauge.sample_some(&card.labels(), card.sample.and_then(value));
        }
    };
    each("yunlab_gpu_utilization_ratio", "How busy a card is, from 0 to 1.", |sample| {
        sample.utilization.map(|percent| float(percent) / 100.0)
    });
    each("yunlab_gpu_memory_used_bytes", "Used memory of a card.", |sample| sample.memory_used.map(float));
    each("yunlab_gpu_power_watts", "Power that a card draws.", |sample| sample.power.map(float));
    each("yunlab_gpu_temperature_celsius", "Temperature of a card.", |sample| sample.temperature.map(float));
}

/// Exact up to 2^53, which no figure of a card reaches.
#[expect(clippy::cast_precision_loss, reason = "figures of a card are far below 2^53")]
fn float(number: i64) -> f64 {
    number as f64
}
