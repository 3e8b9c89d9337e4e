#include "code/legality/apply.h"

namespace cryolite {

const char *name(Reason reason) {
    switch (reason) {
        case Reason::AlreadyDecided: return "already_decided";
        case Reason::ConsumerUndecided: return "consumer_undecided";
        case Reason::NotInlinable: return "not_inlinable";
        case Reason::RootOnly: return "root_only";
        case Reason::LockedByUser: return "locked_by_user";
        case Reason::EnclosedByUser: return "enclosed_by_user";
        case Reason::NoSuchLoop: return "no_such_loop";
        case Reason::OutsideConsumers: return "outside_consumers";
        case Reason::InsideVectorOrUnroll: return "inside_vector_or_unroll";
        case Reason::PredicateLost: return "predicate_lost";
        case Reason::GuardLostInSplit: return "guard_lost_in_split";
        case Reason::GuardLostInFusion: return "guard_lost_in_fusion";
        case Reason::OverreachesClampedLoop: return "overreaches_clamped_loop";
        case Reason::OverreachesSharedLoop: return "overreaches_shared_loop";
        case Reason::StoreInsideCompute: return "store_inside_compute";
        case Reason::ParallelBetween: return "parallel_between";
        case Reason::LoopsBetween: return "loops_between";
        case Reason::BesideWindow: return "beside_window";
        case Reason::WindowOnUnevenLoop: return "window_on_uneven_loop";
        case Reason::WindowOvershoots: return "window_overshoots";
        case Reason::FeedsConditionalWindow: return "feeds_conditional_window";
        case Reason::NoWindow: return "no_window";
        case Reason::StorageKept: return "storage_kept";
        case Reason::NotPlaced: return "not_placed";
        case Reason::LoopsInUse: return "loops_in_use";
        case Reason::BadTile: return "bad_tile";
        case Reason::NotReorderable: return "not_reorderable";
        case Reason::NotAPermutation: return "not_a_permutation";
        case Reason::NotVectorizable: return "not_vectorizable";
        case Reason::NotConstant: return "not_constant";
        case Reason::NotParallelizable: return "not_parallelizable";
        case Reason::NotMappable: return "not_mappable";
        case Reason::BetweenMapped: return "between_mapped";
        case Reason::InsideKernel: return "inside_kernel";
        case Reason::EmptyOnDevice: return "empty_on_device";
        case Reason::UnboundedInKernel: return "unbounded_in_kernel";
        case Reason::UnpaddedInKernel: return "unpadded_in_kernel";
        case Reason::NotATileKernel: return "not_a_tile_kernel";
        case Reason::NoCompanion: return "no_companion";
        case Reason::OverwrittenInKernel: return "overwritten_in_kernel";
        case Reason::Count: break;
    }
    return "unknown";
}

}  // namespace cryolite
